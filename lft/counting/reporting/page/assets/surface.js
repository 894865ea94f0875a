// Surfaces: a table of buttons for each domain, N upwards and F to the right, with the count frontier as a line.
"use strict";

LFT.value = function (cell, state) {
  if (state.o) {
    var code = LFT.outcome(state.o)[0],
      trials = LFT.trials(cell);
    return trials.length
      ? trials.filter(function (t) {
          return t[2] === code;
        }).length / trials.length
      : null;
  }
  if (state.show === "ceiling") return cell.ceil === undefined ? null : cell.ceil;
  if (state.show === "sure") return cell.p === undefined ? null : cell.p;
  if (state.show === "fit") return cell.fit === undefined ? null : cell.fit;
  if (state.show === "f1") return cell.f1 === undefined ? null : cell.f1;
  return cell.n ? cell.k / cell.n : null;
};

LFT.shown = function (state) {
  if (state.o) return "share of trials that are " + LFT.outcome(state.o)[2];
  return (
    LFT.own(
      {
        ceiling: "ceiling: accuracy that the supplied frames allow",
        f1: "trace F1",
        sure: "probability that the true accuracy reaches τ = " + LFT.tau(),
        fit: "accuracy by the fitted psychometric surface",
      },
      state.show
    ) || "accuracy"
  );
};

LFT.tau = function () {
  return String(Math.round(1000 * LFT.data.tau) / 10) + " %";
};

// Which scale of colours a view has: the one of accuracy says what is good, and so is not for shares of faults.
LFT.kind = function (state) {
  var colour = state.o && LFT.outcome(state.o)[4];
  return state.o
    ? state.o === "correct"
      ? "accuracy"
      : colour || "#7a8594"
    : state.show === "sure"
      ? "sure"
      : "accuracy";
};

LFT.scale = function (state) {
  var h = LFT.h,
    bar = h("span", { class: "scale-bar", "aria-hidden": "true" });
  bar.style.background =
    "linear-gradient(to right, " +
    LFT.stops(LFT.kind(state))
      .map(function (rgb) {
        return "rgb(" + rgb.map(Math.round).join(",") + ")";
      })
      .join(", ") +
    ")";
  return [
    h("span", { class: "scale-words" }, LFT.shown(state)),
    " ",
    h("span", {}, "0"),
    bar,
    h("span", {}, "100 %"),
  ];
};

LFT.surfaces = function (state) {
  var series = LFT.data.series[state.s],
    out = [];
  LFT.data.domains.forEach(function (domain) {
    var surface = series.surfaces[domain];
    if (surface)
      out.push(surface.bins ? LFT.bins(domain, surface, state) : LFT.surface(domain, surface, state));
  });
  return LFT.h("div", { class: "surfaces" }, out);
};

// Surfaces that others printed: cells with no trials behind them. Drawn when they are unfolded, for one model
// at a time.
LFT.published = function (box, place) {
  var h = LFT.h,
    all = LFT.data.published,
    one = all[place];
  var select = h(
    "select",
    {
      id: "published-model",
      onchange: function () {
        LFT.published(box, Number(select.value));
        LFT.$("published-model").focus();
      },
    },
    all.map(function (p, i) {
      return h("option", { value: i, selected: i === place }, p.model);
    })
  );
  LFT.show(
    box,
    h("p", {}, h("label", { for: "published-model" }, "Model"), select),
    h(
      "p",
      { class: "quiet small" },
      "Accuracy in percent, as printed; line: count frontier, τ = " + LFT.tau() + "."
    ),
    h(
      "div",
      { class: "surfaces" },
      Object.keys(one.surfaces).map(function (domain) {
        return LFT.surface(domain, one.surfaces[domain], { show: "accuracy", printed: true });
      })
    )
  );
};

LFT.surface = function (domain, surface, state) {
  var h = LFT.h,
    at = {};
  surface.cells.forEach(function (cell) {
    at[cell.N + "|" + cell.F] = cell;
  });
  var counts = LFT.distinct(
    surface.cells.filter(function (c) {
      return c.N > 0;
    }),
    "N"
  ).reverse();
  var zeros = surface.cells.filter(function (c) {
    return c.N === 0;
  });
  var rates = LFT.distinct(
    surface.cells.filter(function (c) {
      return c.N > 0 || !counts.length;
    }),
    "F"
  );
  function inside(n, f) {
    var reach = surface.frontier[f];
    return typeof reach === "number" && n <= reach;
  }
  function above(level) {
    return function (n, f) {
      var cell = at[n + "|" + f];
      return !!cell && cell.fit >= level;
    };
  }
  var view = state.o ? "" : state.show,
    lines =
      view === "fit"
        ? [
            [above(0.8), "f"],
            [above(0.5), "h"],
          ]
        : view === "accuracy" || view === "sure"
          ? [[inside, "f"]]
          : [];
  var rows = counts.map(function (n, i) {
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, n),
      rates.map(function (f, j) {
        var edges = [];
        lines.forEach(function (line) {
          var within = line[0],
            kind = line[1],
            last = i === counts.length - 1;
          if (within(n, f) && !(i > 0 && within(counts[i - 1], f))) edges.push(kind + "t");
          if (within(n, f) && j + 1 < rates.length && !within(n, rates[j + 1])) edges.push(kind + "r");
          if (within(n, f) && j > 0 && !within(n, rates[j - 1])) edges.push(kind + "l");
          if (last && !within(n, f) && (view === "fit" || surface.frontier[f] === "below"))
            edges.push(kind + "b");
        });
        return LFT.cellButton(domain, at[n + "|" + f], state, edges, 1);
      })
    );
  });
  if (zeros.length && view !== "sure" && view !== "fit") {
    var one = zeros.length === 1;
    rows.push(
      h(
        "tr",
        { class: "zero" },
        h("th", { scope: "row" }, "0"),
        one
          ? LFT.cellButton(domain, zeros[0], state, [], rates.length)
          : rates.map(function (f) {
              return LFT.cellButton(domain, at["0|" + f], state, [], 1);
            })
      )
    );
  }
  var feet = LFT.feet(surface, view, rates);
  return h(
    "figure",
    { class: "surface" },
    h("figcaption", {}, h("h2", {}, LFT.words(domain)), LFT.totals(surface.total)),
    h(
      "table",
      { class: "grid" + (feet.length ? " with-feet" : ""), "data-domain": domain },
      h(
        "caption",
        { class: "hidden" },
        LFT.words(domain) + ": " + LFT.shown(state) + " by count N (rows) and frequency in Hz (columns)"
      ),
      h(
        "colgroup",
        {},
        h("col", { class: "names" }),
        rates.map(function () {
          return h("col");
        })
      ),
      h("tbody", {}, rows),
      h(
        "tfoot",
        {},
        h(
          "tr",
          {},
          h("th", { class: "corner" }, "N"),
          rates.map(function (f) {
            return h("th", { scope: "col" }, f);
          })
        ),
        feet
      )
    ),
    h("p", { class: "axis" }, "frequency (Hz)"),
    LFT.remarks(surface, view, rates).map(function (words) {
      return h("p", { class: "quiet small" }, words);
    }),
    state.printed ? null : LFT.causeBar(surface)
  );
};

LFT.totals = function (total) {
  var h = LFT.h;
  if (!total.n)
    return h(
      "p",
      { class: "figure-numbers quiet" },
      "no answer" + (total.missing ? ", " + LFT.whole(total.missing) + " missing" : "")
    );
  return h(
    "p",
    { class: "figure-numbers" },
    h("b", {}, LFT.share(total.k / total.n) + " %"),
    " ",
    h(
      "span",
      { class: "quiet" },
      "right" +
        (total.ci ? " " + LFT.interval(total.ci) : "") +
        ", n = " +
        LFT.whole(total.n) +
        (total.missing ? ", " + LFT.whole(total.missing) + " missing" : "")
    )
  );
};

// Rows below the axis: the frontier and where its posterior lies, or the counts at which the fitted accuracy
// falls to a level.
LFT.feet = function (surface, view, rates) {
  var h = LFT.h,
    sure = surface.sure;
  function row(name, words, cell) {
    return h(
      "tr",
      { class: "feet" },
      h("th", { scope: "row", title: words }, name),
      rates.map(function (f) {
        return h("td", {}, cell(f));
      })
    );
  }
  function range(pair) {
    return pair[0] === pair[1] ? pair[0] : pair[0] + "–" + pair[1];
  }
  if (!sure) return [];
  if (view === "sure") {
    return [
      row("frontier", "count frontier as measured", function (f) {
        var n = surface.frontier[f];
        return typeof n === "number" ? n : n === "below" ? "0" : "?";
      }),
      row("95 %", "where 95 % of the true frontier's posterior lies", function (f) {
        return sure.range[f] ? range(sure.range[f]) : "–";
      }),
      row("repeat", "count frontier that another run of the same size is expected to read", function (f) {
        return sure.repeat[f] === undefined
          ? "–"
          : h(
              "span",
              { title: "below the true frontier in " + LFT.share(sure.low[f]) + " % of such runs" },
              sure.repeat[f].toFixed(1)
            );
      }),
    ];
  }
  if (view !== "fit" || !sure.contours) return [];
  return Object.keys(sure.contours)
    .sort()
    .reverse()
    .map(function (level) {
      return row(level + " %", "count at which the fitted accuracy falls to " + level + " %", function (f) {
        var c = sure.contours[level][f],
          most = surface.cells.reduce(function (m, cell) {
            return Math.max(m, cell.N);
          }, 0);
        function told(x) {
          return x < 1 ? "<1" : x > 2 * most ? ">" + 2 * most : x.toFixed(1);
        }
        return c ? h("span", { title: "95 %: " + told(c[1]) + " to " + told(c[2]) }, told(c[0])) : "–";
      });
    });
};

LFT.remarks = function (surface, view, rates) {
  var sure = surface.sure,
    out = [];
  if (view === "sure" && sure) {
    var low = Object.keys(sure.low).map(function (f) {
      return sure.low[f];
    });
    if (low.length)
      out.push(
        "Another run of the same size would read a frontier below the true one in " +
          Math.round(
            (100 *
              low.reduce(function (a, b) {
                return a + b;
              }, 0)) /
              low.length
          ) +
          " % of the cases: one unlucky cell ends it."
      );
  }
  if (view === "fit" && sure) {
    out.push(
      !sure.contours
        ? "Too few cells were answered to fit a surface."
        : sure.fits
          ? "The fitted surface agrees with the cells (p = " + sure.p.toFixed(2) + ")."
          : LFT.h(
              "b",
              {},
              "The fitted surface does not agree with the cells (p = " +
                sure.p.toFixed(3) +
                "): read the cells, not the lines."
            )
    );
  }
  if (view === "ceiling" || view === "f1") return out;
  function open(why) {
    return rates.filter(function (f) {
      return surface.open[f] === why;
    });
  }
  if (open("missing").length)
    out.push("Frontier undetermined at " + open("missing").join(", ") + " Hz: trials are missing.");
  if (open("unmeasured").length)
    out.push("No frontier at " + open("unmeasured").join(", ") + " Hz: not every count was asked there.");
  return out;
};

LFT.distinct = function (cells, name) {
  return cells
    .map(function (c) {
      return c[name];
    })
    .filter(function (v, i, all) {
      return all.indexOf(v) === i;
    })
    .sort(function (a, b) {
      return a - b;
    });
};

LFT.cellButton = function (domain, cell, state, edges, span) {
  var h = LFT.h;
  if (!cell) return h("td", { class: "none" });
  var value = LFT.value(cell, state),
    chosen = state.d === domain && state.n === cell.N && state.f === cell.F;
  var words =
    "N = " +
    cell.N +
    (cell.N ? ", " + cell.F + " Hz" : "") +
    ": " +
    LFT.shown(state) +
    " " +
    (value === null ? "not measured" : LFT.share(value) + " %") +
    (cell.ci && !state.o && state.show === "accuracy" ? " " + LFT.interval(cell.ci) : "") +
    ", n = " +
    cell.n +
    (cell.unasked ? ", " + cell.unasked + " not asked" : "") +
    (cell.miss ? ", " + cell.miss + " missing" : "");
  var text =
    value === null ? "–" : state.show === "sure" && !state.o ? LFT.probable(value) : Math.round(100 * value);
  if (state.printed) {
    var plain = h(
      "span",
      { class: "cell printed" + (value === null ? " unmeasured" : ""), title: words },
      text
    );
    if (value !== null) {
      plain.style.backgroundColor = "rgb(" + LFT.colour(value, "accuracy").join(",") + ")";
      plain.style.color = LFT.inkOn(LFT.colour(value, "accuracy"));
    }
    return h("td", { class: edges.join(" "), colspan: span > 1 ? span : null }, plain);
  }
  var button = h(
    "button",
    {
      type: "button",
      class: "cell" + (value === null ? " unmeasured" : "") + (cell.miss ? " some-missing" : ""),
      "aria-label": words,
      title: words,
      "aria-pressed": chosen ? "true" : "false",
      "data-cell": domain + "|" + cell.N + "|" + cell.F,
      tabindex: chosen ? 0 : -1,
      onclick: function () {
        LFT.go(
          Object.assign(
            { d: domain, b: null, n: cell.N, f: cell.F, all: false },
            LFT.first(LFT.trials(cell), state)
          )
        );
      },
    },
    text
  );
  if (value !== null) {
    var rgb = LFT.colour(value, LFT.kind(state));
    button.style.backgroundColor = "rgb(" + rgb.join(",") + ")";
    button.style.color = LFT.inkOn(rgb);
  }
  return h("td", { class: edges.join(" "), colspan: span > 1 ? span : null }, button);
};

// The clip of a cell that is opened at once: the first of the outcome that is looked for, else the first that
// is not right.
LFT.first = function (trials, state) {
  var code = state.o && LFT.outcome(state.o)[0];
  var found =
    trials.find(function (t) {
      return code ? t[2] === code : "c-xo".indexOf(t[2]) < 0;
    }) || trials[0];
  return found ? { k: found[0], r: found[1] } : { k: null, r: 0 };
};

LFT.causeBar = function (surface) {
  var h = LFT.h,
    tally = {};
  surface.cells.forEach(function (cell) {
    LFT.trials(cell).forEach(function (t) {
      tally[t[2]] = (tally[t[2]] || 0) + 1;
    });
  });
  var used = LFT.data.causes.filter(function (c) {
    return tally[c[0]];
  });
  var bar = h(
    "div",
    { class: "causes", "aria-hidden": "true" },
    used.map(function (c) {
      var part = h("span", { class: "cause cause-" + c[1], title: c[2] + ": " + tally[c[0]] });
      part.style.flexGrow = String(tally[c[0]]);
      return part;
    })
  );
  var legend = h(
    "ul",
    { class: "legend" },
    used.map(function (c) {
      return h(
        "li",
        {},
        h("span", { class: "swatch cause-" + c[1] }),
        h(
          "button",
          {
            type: "button",
            class: "plain",
            title: c[3] || null,
            "aria-pressed": LFT.state.o === c[1] ? "true" : "false",
            onclick: function () {
              LFT.go({ o: LFT.state.o === c[1] ? null : c[1], d: null, k: null });
            },
          },
          c[2]
        ),
        h("span", { class: "num quiet" }, LFT.whole(tally[c[0]]))
      );
    })
  );
  return h("div", { class: "outcomes" }, bar, legend);
};

// A probability in percent, never rounded to a certainty.
LFT.probable = function (p) {
  return p < 0.005 ? "<1" : p >= 0.995 ? ">99" : Math.round(100 * p);
};

// Arrow keys walk over the cells of a surface.
LFT.walk = function (event) {
  var steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] },
    step = steps[event.key];
  var button = event.target.closest && event.target.closest("button.cell");
  if (!step || !button) return;
  var row = button.closest("tr"),
    rows = Array.from(row.parentNode.children);
  var column = Array.from(row.querySelectorAll("td")).indexOf(button.closest("td"));
  var next = rows[rows.indexOf(row) + step[0]];
  if (!next) return;
  var cells = next.querySelectorAll("td"),
    td = cells[Math.min(cells.length - 1, column + step[1])];
  var target = td && td.querySelector("button");
  if (!target) return;
  event.preventDefault();
  row
    .closest("table")
    .querySelectorAll("button.cell")
    .forEach(function (b) {
      b.tabIndex = -1;
    });
  target.tabIndex = 0;
  target.focus();
};
