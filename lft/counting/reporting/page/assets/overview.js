// The overview: a row for each series, which is a link to it; what the causes mean; how it was scored.
"use strict";

// Built once, so that the link that was followed keeps the focus; then only the current row and the addresses change.
LFT.overview = function (box, state) {
  if (!box.querySelector("table")) LFT.add(box, LFT.overviewParts());
  box.querySelectorAll("tbody tr").forEach(function (row, i) {
    var link = row.querySelector("a");
    row.className = i === state.s ? "current" : "";
    if (i === state.s) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.setAttribute("href", LFT.link({ s: i, vs: -1 }));
  });
  var row = LFT.data.overview.rows[state.s],
    told = box.querySelector("#found");
  if (row && told)
    LFT.show(
      told,
      row.sentence,
      row.found.length ? LFT.h("span", { class: "quiet" }, " Found: " + row.found.join("; ") + ".") : null
    );
};

LFT.overviewParts = function () {
  var h = LFT.h,
    rows = LFT.data.overview.rows,
    tau = LFT.tau();
  // Beside the model stands what differs: sampling always; the run, where two hold the same model and condition.
  // Labels and prompt that are the same everywhere are said once, below.
  function twin(row) {
    return rows.some(function (other) {
      return (
        other !== row &&
        ["model", "sampling", "labels", "prompt"].every(function (name) {
          return row[name] === other[name];
        })
      );
    });
  }
  var same = ["labels", "prompt"].filter(function (axis) {
    return !LFT.differ(rows, axis);
  });
  function condition(row) {
    return ["sampling", "labels", "prompt"]
      .filter(function (name) {
        return same.indexOf(name) < 0;
      })
      .map(function (name) {
        return row[name];
      })
      .concat(twin(row) ? ["run " + row.run] : [])
      .join(" · ");
  }
  function causes(row) {
    return row.causes.length
      ? [
          row.causes.join(", "),
          h(
            "span",
            { class: "quiet" },
            " " + LFT.whole(row.most) + (row.causes.length > 1 ? " each" : "") + " of " + LFT.whole(row.wrong)
          ),
        ]
      : "–";
  }
  function rate(name) {
    return function (row) {
      return LFT.share(row[name]);
    };
  }
  var columns = [
    [
      "EM [95 %]",
      "num",
      function (row) {
        return [
          h("b", {}, LFT.share(row.em)),
          " ",
          h("span", { class: "quiet interval" }, LFT.interval(row.ci)),
        ];
      },
    ],
    ["F1", "num", rate("f1")],
    ["Ceiling EM", "num", rate("ceiling")],
    ["Guess EM", "num", rate("guess")],
    ["Chance F1", "num", rate("chance")],
    [
      "Best N, any domain and frequency",
      "num wide",
      function (row) {
        return LFT.reach(row.reach);
      },
    ],
    ["Main cause of wrong answers", "", causes],
    [
      "n",
      "num",
      function (row) {
        return [
          LFT.whole(row.n),
          row.missing ? h("span", { class: "quiet" }, " + " + LFT.whole(row.missing) + " missing") : null,
        ];
      },
    ],
  ];
  var body = rows.map(function (row, i) {
    var link = h("a", { href: "#", title: LFT.data.series[i].model + ", run " + row.run }, row.model);
    return h(
      "tr",
      {
        onclick: function (event) {
          if (!event.target.closest("a")) link.click();
        },
      },
      h("th", { scope: "row" }, link, " ", h("span", { class: "quiet condition" }, condition(row))),
      columns.map(function (c) {
        return h("td", { class: c[1] || null }, c[2](row));
      })
    );
  });
  return [
    h(
      "p",
      { id: "headline" },
      LFT.headline(rows),
      LFT.data.overview.few ? h("b", { id: "few" }, " " + LFT.data.overview.few) : null
    ),
    h("p", { id: "found", "aria-live": "polite" }),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        {},
        h(
          "caption",
          { class: "hidden" },
          "All series: rates in percent; each model's name opens its surfaces"
        ),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Model and condition"),
            columns.map(function (c) {
              return h("th", { scope: "col", class: c[1] || null }, c[0]);
            })
          )
        ),
        h("tbody", {}, body)
      )
    ),
    h(
      "p",
      { class: "quiet small", id: "scoring" },
      h("b", {}, "Rule and tolerance"),
      ": " + LFT.data.overview.scoring.join(". ") + "."
    ),
    h(
      "details",
      { class: "small" },
      h("summary", {}, "What the columns and the causes mean"),
      LFT.meanings(),
      h(
        "p",
        { class: "quiet" },
        (same.length
          ? "All rows: " +
            same
              .map(function (name) {
                return rows[0][name];
              })
              .join(", ") +
            ". "
          : "") +
          ("Rates in percent. EM: the final answer is the true count. Ceiling: EM that the " +
            "supplied frames allow. Guess: EM of the best constant answer, or of the same " +
            "answers shuffled over clips, whichever is higher. F1: agreement of reported " +
            "with true times, over clips with events; chance F1: as many reports at random " +
            "times. ") +
          "Best N: largest count at which EM, and that of every smaller count, reaches τ = " +
          tau +
          (" in the best domain at its best frequency; weak where a cell holds fewer than 5 " +
            "clips. Each domain's frontier over all frequencies is the line in its surface.")
      )
    ),
  ];
};

LFT.differ = function (rows, name) {
  return rows.some(function (row) {
    return row[name] !== rows[0][name];
  });
};

LFT.reach = function (reach) {
  if (reach.n === null) return "–";
  if (!reach.n) return reach.open ? "undetermined" : "none";
  var each = reach.each
    .map(function (d) {
      return LFT.words(d[0]) + " " + d[1];
    })
    .join(", ");
  return [
    LFT.h("span", { title: "Best frequency of each: " + each }, (reach.open ? "≥ " : "") + reach.n),
    reach.few ? LFT.h("span", { class: "quiet" }, " weak, n = " + reach.few) : null,
  ];
};

// The range of what was found, in a sentence.
LFT.headline = function (rows) {
  var known = [],
    answers = 0;
  rows.forEach(function (row, i) {
    answers += row.n;
    if (row.em !== null) known.push(i);
  });
  if (!known.length)
    return "No trial of these runs was answered. The command that began a sweep asks again what is missing.";
  known.sort(function (a, b) {
    return rows[a].em - rows[b].em;
  });
  var low = known[0],
    high = known[known.length - 1];
  function told(i) {
    return LFT.share(rows[i].em) + " % (" + LFT.data.series[i].name + ")";
  }
  return (
    "Exact count right: " +
    (rows[low].em === rows[high].em
      ? LFT.share(rows[low].em) + " %"
      : "from " + told(low) + " to " + told(high)) +
    ", over " +
    LFT.whole(answers) +
    (answers === 1 ? " answer in " : " answers in ") +
    (rows.length === 1 ? "one series." : rows.length + " series.")
  );
};

// What each cause means, of those that occur in any series.
LFT.meanings = function () {
  var h = LFT.h,
    seen = {};
  LFT.data.series.forEach(function (series) {
    Object.keys(series.surfaces).forEach(function (d) {
      series.surfaces[d].cells.forEach(function (cell) {
        LFT.trials(cell).forEach(function (t) {
          seen[t[2]] = true;
        });
      });
    });
  });
  var used = LFT.data.causes.filter(function (c) {
    return c[3] && seen[c[0]];
  });
  return used.length
    ? h(
        "ul",
        { class: "legend", id: "meanings", "aria-label": "What the causes of wrong answers mean" },
        used.map(function (c) {
          return h("li", {}, h("span", { class: "swatch cause-" + c[1] }), h("b", {}, c[2]), ": " + c[3]);
        })
      )
    : null;
};
