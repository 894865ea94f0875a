// The page: reads the address, draws what changed, listens to the keyboard.
"use strict";

(function () {
  var h = LFT.h,
    $ = LFT.$,
    MOST_LISTED = 200;

  function filters(state) {
    var data = LFT.data,
      now = data.series[state.s],
      axes = ["model", "sampling", "labels", "prompt", "run"],
      out = [];
    // The run needs choosing only where two of them hold the same model and condition.
    var heads = data.series.map(function (s) {
        return [s.model, s.sampling, s.labels, s.prompt].join("|");
      }),
      twice =
        heads.length >
        heads.filter(function (v, i, all) {
          return all.indexOf(v) === i;
        }).length;
    function option(value) {
      return function (o) {
        return h("option", { value: o[0], selected: o[0] === value }, o[1]);
      };
    }
    function select(id, label, options, value, change, groups) {
      var box = h(
        "select",
        {
          id: id,
          onchange: function () {
            change(box.value);
          },
        },
        options.map(option(value)),
        (groups || []).map(function (group) {
          return group[1].length ? h("optgroup", { label: group[0] }, group[1].map(option(value))) : null;
        })
      );
      out.push(h("p", {}, h("label", { for: id }, label), box));
    }
    axes.forEach(function (axis) {
      var values = data.series
        .map(function (s) {
          return s[axis];
        })
        .filter(function (v, i, all) {
          return all.indexOf(v) === i;
        });
      if (values.length < 2 || (axis === "run" && !twice)) return;
      select(
        "by-" + axis,
        LFT.words(axis),
        values.map(function (v) {
          var place = data.series.findIndex(function (s) {
              return s[axis] === v;
            }),
            words = data.overview.rows[place][axis];
          return [v, axis === "model" || axis === "run" ? v : words];
        }),
        now[axis],
        function (value) {
          // The series with this value that shares most of the rest.
          var best = -1,
            most = -1;
          data.series.forEach(function (s, i) {
            if (s[axis] !== value) return;
            var same = axes.filter(function (a) {
              return s[a] === now[a];
            }).length;
            if (same > most) {
              most = same;
              best = i;
            }
          });
          LFT.go({ s: best, vs: -1 });
        }
      );
    });
    var has = function (key) {
      return Object.keys(now.surfaces).some(function (d) {
        return (
          !now.surfaces[d].bins &&
          now.surfaces[d].cells.some(function (c) {
            return c[key] !== undefined;
          })
        );
      });
    };
    var shows = [["accuracy", "Accuracy"]].concat(
      has("ceil") ? [["ceiling", "Ceiling of the frames"]] : [],
      has("f1") ? [["f1", "Trace F1"]] : [],
      has("p") ? [["sure", "Chance to reach τ"]] : [],
      has("fit") ? [["fit", "Fitted accuracy"]] : []
    );
    var tally = {};
    LFT.listed({ s: state.s }).forEach(function (t) {
      tally[t.code] = true;
    });
    var outcomes = data.causes
      .filter(function (c) {
        return tally[c[0]];
      })
      .map(function (c) {
        return ["o:" + c[1], LFT.words(c[2])];
      });
    select(
      "by-show",
      "Show",
      shows,
      state.o ? "o:" + state.o : state.show,
      function (value) {
        var outcome = value.slice(0, 2) === "o:" ? value.slice(2) : null;
        LFT.go(
          outcome
            ? { o: outcome, show: null, d: null, b: null, n: null, f: null, k: null }
            : { show: value, o: null }
        );
      },
      [["Share of trials that are", outcomes]]
    );
    LFT.show($("filters"), out);
  }

  function list(state) {
    var data = LFT.data,
      trials = LFT.listed(state),
      box = $("list"),
      one = LFT.ofCell(state);
    var bin = one && LFT.bin(state),
      where = bin
        ? LFT.words(state.d) + ", " + LFT.binWords(bin)
        : one
          ? LFT.words(state.d) + ", N = " + state.n + (state.n ? ", " + state.f + " Hz" : "")
          : LFT.words(LFT.outcome(state.o)[2]) + ", all cells";
    var right = trials.filter(function (t) {
        return t.code === "c";
      }).length,
      answered = trials.filter(function (t) {
        return "-xo".indexOf(t.code) < 0;
      }).length;
    function item(t) {
      var outcome = LFT.outcomeOf(t.code),
        here =
          state.d === t.d && state.n === t.n && state.f === t.f && state.k === t.k && (state.r || 0) === t.r;
      var source = LFT.own(data.sources, [t.d, t.n, t.f, t.k].join("|")),
        replicate = t.r ? ", replicate " + t.r : "";
      return h(
        "li",
        {},
        h(
          "a",
          {
            href: LFT.link({ d: t.d, n: t.n, f: t.f, k: t.k, r: t.r, b: one ? state.b : null, all: !one }),
            "aria-current": here ? "true" : null,
          },
          h("span", { class: "badge cause-" + outcome[1] }),
          h(
            "span",
            { class: "clip-name" },
            source
              ? [source + replicate, h("span", { class: "quiet small" }, outcome[2])]
              : (one ? "" : LFT.words(t.d) + ", ") + "seed " + t.k + replicate
          ),
          h(
            "span",
            { class: "quiet small" },
            source ? "N " + t.n : one ? outcome[2] : "N " + t.n + ", " + t.f + " Hz"
          )
        )
      );
    }
    var items = h("ol", { class: "clips" }, trials.slice(0, MOST_LISTED).map(item));
    var more =
      trials.length > MOST_LISTED
        ? h(
            "button",
            {
              type: "button",
              class: "plain",
              onclick: function () {
                LFT.add(items, trials.slice(MOST_LISTED).map(item));
                more.remove();
              },
            },
            "Show all " + LFT.whole(trials.length)
          )
        : null;
    LFT.show(
      box,
      h("h2", {}, where),
      h(
        "p",
        { class: "quiet" },
        !one
          ? LFT.whole(trials.length) + " trials"
          : right +
              " of " +
              answered +
              " correct" +
              (trials.length > answered ? ", " + (trials.length - answered) + " without answer" : "")
      ),
      trials.length ? items : h("p", { class: "note" }, "No trial of this outcome here."),
      more
    );
    var current = box.querySelector("[aria-current]");
    if (current) current.scrollIntoView({ block: "nearest" });
  }

  function render() {
    var before = LFT.state,
      state = (LFT.state = LFT.read()),
      now = LFT.data.series[state.s];
    function changed() {
      return Array.prototype.some.call(arguments, function (name) {
        return before[name] !== state[name];
      });
    }
    var fresh = before.s === undefined;
    document.title = now.name + " · LFT";
    $("title").textContent = now.model;
    var line = "; line: count frontier, τ = " + LFT.tau() + ".";
    var grid = Object.keys(now.surfaces).some(function (d) {
      return !now.surfaces[d].bins;
    });
    LFT.show(
      $("lead"),
      now.words + ". ",
      h(
        "span",
        { class: "quiet" },
        "n = " +
          LFT.whole(now.n) +
          (now.missing ? ", " + LFT.whole(now.missing) + " missing" : "") +
          ". " +
          (!grid
            ? "Scores by true count; a count opens its clips."
            : "Cells: " +
              LFT.shown(state) +
              ", in percent" +
              (state.o
                ? "."
                : {
                    accuracy: line,
                    sure: line,
                    fit: "; lines: where it falls to 80 % and, broken, to 50 %.",
                  }[state.show] || "."))
      )
    );
    LFT.overview($("overview"), state);
    if (fresh || changed("s", "o", "show")) {
      filters(state);
      scale(state, grid);
    }
    if (fresh || changed("s", "o", "show", "d", "n", "f", "b")) {
      var focused = document.activeElement && document.activeElement.getAttribute("data-cell");
      var row = document.querySelector(".surfaces"),
        across = row ? row.scrollLeft : 0;
      LFT.show($("surfaces"), LFT.surfaces(state));
      document.querySelector(".surfaces").scrollLeft = across; // on a phone they stand in a row
      document.querySelectorAll("table.grid").forEach(function (table) {
        var first = table.querySelector('button.cell[tabindex="0"]') || table.querySelector("button.cell");
        if (first) first.tabIndex = 0;
      });
      if (focused) cellOf(focused);
    }
    var open = state.d !== undefined || !!state.o;
    $("explore").hidden = !open;
    if (open && (fresh || changed("s", "o", "all", "d", "n", "f", "b", "k", "r"))) list(state);
    if (fresh || changed("s", "o", "d", "n", "f", "b", "k", "r", "vs")) {
      LFT.close();
      if (state.k === undefined)
        LFT.show(
          $("clip"),
          open
            ? h(
                "p",
                { class: "note" },
                "Choose a clip, or press j, to see what happened and what was reported."
              )
            : null
        );
      else LFT.clip($("clip"), state, changed("d", "n", "f", "b", "k", "r") ? bring : null);
      if (state.k === undefined && open && !fresh && changed("o"))
        $("explore").scrollIntoView({ block: "nearest" });
    }
  }

  function scale(state, grid) {
    LFT.show($("scale"), grid ? LFT.scale(state) : null);
  }

  function cellOf(key) {
    var again = Array.from(document.querySelectorAll("button.cell, button[data-bin]")).find(function (b) {
      return (b.getAttribute("data-cell") || b.getAttribute("data-bin")) === key;
    });
    if (again) again.focus({ preventScroll: true });
    return again;
  }

  // A clip that was opened is brought into view and takes the keyboard: the button that opened it would take
  // the space bar.
  function bring() {
    var top = $("explore").getBoundingClientRect().top,
      whole = $("clip").getBoundingClientRect().bottom <= window.innerHeight;
    if (top < 0 || !whole) $("explore").scrollIntoView({ block: "start" });
    if (!$("clip").contains(document.activeElement)) $("clip").focus({ preventScroll: true });
  }

  var step = (LFT.step = function (by) {
    var state = LFT.state,
      trials = LFT.listed(state);
    if (!state.d && !state.o) return;
    var at = trials.findIndex(function (t) {
      return (
        t.d === state.d && t.n === state.n && t.f === state.f && t.k === state.k && t.r === (state.r || 0)
      );
    });
    var next = trials[at < 0 ? 0 : at + by];
    if (next)
      LFT.go({
        d: next.d,
        n: next.n,
        f: next.f,
        k: next.k,
        r: next.r,
        b: LFT.ofCell(state) ? state.b : null,
        all: !LFT.ofCell(state),
      });
  });

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    LFT.walk(event);
    var video = LFT.player && LFT.player.video,
      state = LFT.state;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "z" && LFT.player) LFT.player.zoom();
    else if (event.key === "Escape") {
      LFT.go(
        state.k !== undefined
          ? { k: null, r: 0, vs: -1 }
          : { d: null, b: null, n: null, f: null, k: null, o: null }
      );
      var from = state.b ? state.d + "|" + state.b : [state.d, state.n, state.f].join("|"),
        cell = cellOf(from);
      if (cell && cell.getBoundingClientRect().top < 0) cell.scrollIntoView({ block: "center" });
    } else if (event.key === " " && video && !/^(BUTTON|VIDEO|SUMMARY)$/.test(event.target.tagName)) {
      event.preventDefault();
      if (video.paused) video.play();
      else video.pause();
    } else if ((event.key === "," || event.key === ".") && video) {
      video.pause();
      video.currentTime =
        LFT.player.start +
        LFT.nextFrame(video.currentTime - LFT.player.start, event.key === "." ? 1 : -1, LFT.player.step);
    }
  }

  $("theme").addEventListener("click", function () {
    if (!LFT.data || !LFT.data.series.length) return;
    LFT.show($("surfaces"), LFT.surfaces(LFT.state));
    if ($("published-model")) LFT.published($("published-surfaces"), Number($("published-model").value));
    if ($("scale").firstChild) LFT.show($("scale"), LFT.scale(LFT.state));
  });
  if (!LFT.data || !LFT.data.series.length) {
    LFT.show(
      $("lead"),
      LFT.data
        ? "There is no trial in these runs."
        : "data/index.js could not be loaded: the report is not whole. Write it again with lft report."
    );
    return;
  }
  if (LFT.data.published.length) {
    $("published").hidden = false;
    $("published").addEventListener("toggle", function () {
      if ($("published").open && !$("published-surfaces").firstChild)
        LFT.published($("published-surfaces"), 0);
    });
  }
  window.addEventListener("hashchange", render);
  document.addEventListener("keydown", key);
  var resized = 0;
  window.addEventListener("resize", function () {
    clearTimeout(resized);
    resized = setTimeout(function () {
      if (LFT.player) LFT.player.draw();
    }, 100);
  });
  render();
})();
