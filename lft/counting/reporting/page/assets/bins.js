// Videos that lie on no grid: scores by how much there was to count; a row opens its clips.
"use strict";

LFT.inBin = function (bin, cell) {
  return cell.N >= bin.from && (bin.to === null || cell.N <= bin.to);
};

LFT.bins = function (domain, surface, state) {
  var h = LFT.h,
    code = state.o && LFT.outcome(state.o)[0];
  function interval(ci, part) {
    return ci && ci.length
      ? h("span", { class: "quiet small" }, " [" + part(ci[0]) + ", " + part(ci[1]) + "]")
      : null;
  }
  function plain(x) {
    return x === null ? "–" : LFT.fixed(x, 2);
  }
  // A bar from 0 to 1 with its interval, and the number beside it.
  function share(value, ci, cause) {
    if (value === null) return h("td", {}, "–");
    var bar = h("span", { class: "bar", "aria-hidden": "true" }),
      fill = h("span", { class: "bar-fill" + (cause ? " cause-" + cause : "") });
    fill.style.width = 100 * value + "%";
    LFT.add(bar, [fill]);
    if (ci) {
      var whisker = h("span", { class: "bar-range" });
      whisker.style.left = 100 * ci[0] + "%";
      whisker.style.width = 100 * (ci[1] - ci[0]) + "%";
      LFT.add(bar, [whisker]);
    }
    return h(
      "td",
      {},
      h(
        "span",
        { class: "bar-cell" },
        bar,
        h("span", { class: "num" }, LFT.share(value)),
        interval(ci, LFT.share)
      )
    );
  }
  function open(bin) {
    var held = surface.cells.filter(function (cell) {
      return LFT.inBin(bin, cell) && LFT.trials(cell).length;
    });
    var cell =
      held.find(function (c) {
        return LFT.trials(c).some(function (t) {
          return code ? t[2] === code : "c-xo".indexOf(t[2]) < 0;
        });
      }) || held[0];
    var at = cell
      ? Object.assign({ n: cell.N, f: cell.F }, LFT.first(LFT.trials(cell), state))
      : { n: null, f: null, k: null, r: 0 };
    LFT.go(Object.assign({ d: domain, b: bin.bin, all: false }, at));
  }
  function outcome(bin) {
    var trials = [];
    surface.cells.forEach(function (cell) {
      if (LFT.inBin(bin, cell)) trials = trials.concat(LFT.trials(cell));
    });
    return trials.length
      ? trials.filter(function (t) {
          return t[2] === code;
        }).length / trials.length
      : null;
  }
  var rows = surface.bins.map(function (bin) {
    var chosen = state.d === domain && state.b === bin.bin,
      name = bin.bin === "all" ? "all" : bin.bin.replace("-", "–");
    var button = h(
      "button",
      {
        type: "button",
        class: "plain",
        "data-bin": domain + "|" + bin.bin,
        "aria-pressed": chosen ? "true" : "false",
        "aria-label": LFT.words(domain) + ", " + LFT.binWords(bin),
        onclick: function () {
          open(bin);
        },
      },
      name
    );
    return h(
      "tr",
      {
        class: (chosen ? "current " : "") + (bin.bin === "all" ? "whole" : ""),
        onclick: function (event) {
          if (event.target !== button) button.click();
        },
      },
      h("th", { scope: "row" }, button),
      h(
        "td",
        { class: "num" },
        LFT.whole(bin.n) + (bin.miss ? " (" + LFT.whole(bin.miss) + " missing)" : "")
      ),
      code ? share(outcome(bin), null, state.o) : share(bin.em, bin.em_ci),
      share(bin.off, bin.off_ci),
      h("td", { class: "num" }, plain(bin.nmae), interval(bin.nmae_ci, plain)),
      h("td", { class: "num" }, LFT.share(bin.literal))
    );
  });
  var total = surface.total;
  return h(
    "figure",
    { class: "surface whole-row" },
    h("figcaption", {}, h("h2", {}, LFT.words(domain)), LFT.totals(total)),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": LFT.words(domain) + ", by true count" },
      h(
        "table",
        { class: "bins", "data-domain": domain },
        h(
          "caption",
          { class: "hidden" },
          LFT.words(domain) + ": scores by true count; a count opens its clips"
        ),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            [
              "True count",
              "n",
              code ? LFT.words(LFT.outcome(state.o)[2]) : "Exact match",
              "Off by one at most",
              "Error / true count",
              "Literal",
            ].map(function (name, i) {
              return h("th", { scope: "col", class: i === 1 || i > 3 ? "num" : null }, name);
            })
          )
        ),
        h("tbody", {}, rows)
      )
    ),
    LFT.causeBar(surface)
  );
};

LFT.binWords = function (bin) {
  if (bin.bin === "all") return "all clips";
  return bin.bin === "1" || bin.bin === "0"
    ? bin.bin === "0"
      ? "no event"
      : "1 event"
    : bin.bin.replace("-", "–").replace(">", "more than ") + " events";
};
