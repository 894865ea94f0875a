// Timelines under one clock: what happened with its windows of tolerance, what each series reported, frames supplied.
"use strict";

// options: width, zoom (whole clip or the events only), seek(time_s). Returns {node, at(time_s)}.
LFT.timeline = function (tracks, options) {
  var svg = LFT.svg,
    first = tracks[0].trial;
  var truth = first.truth || [],
    duration = first.duration || LFT.longest(tracks);
  var range = options.zoom ? LFT.activity(tracks, duration) : [0, duration];
  var pad = 10,
    width = Math.max(280, options.width),
    gutter = width > 640 ? 172 : 0; // names beside the rows, or above
  var from = pad + gutter,
    inner = width - pad - from;
  function x(t) {
    return from + ((t - range[0]) / (range[1] - range[0])) * inner;
  }
  function within(t) {
    return t >= range[0] - 1e-9 && t <= range[1] + 1e-9;
  }
  var root = svg("svg", { class: "timeline", width: width, role: "img" }),
    y = 0;
  var links = svg("g", { class: "links" });
  root.appendChild(links);

  var order = tracks.length > 1 ? [tracks[0], null, tracks[1]] : [null, tracks[0]];
  var rows = order.map(function (track) {
    var line = y + (gutter ? 22 : 36);
    root.appendChild(svg("line", { x1: from, x2: width - pad, y1: line, y2: line, class: "row-line" }));
    y = line + (gutter ? 22 : 18);
    if (track) y = LFT.frameTicks(root, track.trial, x, within, y, from, width - pad) + 6;
    return { track: track, line: line };
  });
  var happened = rows.find(function (r) {
    return !r.track;
  });

  truth.forEach(function (event, i) {
    if (!within(event[0])) return;
    var tolerance = first.tolerance || event[4] || 0;
    var left = Math.max(from, x(event[0] - tolerance)),
      right = Math.min(width - pad, x(event[0] + tolerance));
    root.appendChild(
      svg("rect", {
        x: left,
        y: happened.line - 11,
        width: Math.max(0, right - left),
        height: 22,
        class: "window" + (i % 2 ? " odd" : ""),
      })
    );
  });
  truth.forEach(function (event, i) {
    if (!within(event[0])) return;
    var fate = event[3];
    root.appendChild(
      LFT.mark(
        svg("circle", { cx: x(event[0]), cy: happened.line, r: 5, class: "true " + fate }),
        i +
          1 +
          " at " +
          LFT.seconds(event[0]) +
          " s: " +
          event[1] +
          " → " +
          event[2] +
          ", " +
          fate +
          LFT.proof(first, i),
        event[0],
        options.seek
      )
    );
  });
  rows.forEach(function (row) {
    if (!row.track) return;
    var trial = row.track.trial,
      partner = {};
    (trial.pairs || []).forEach(function (p) {
      partner[p[0]] = p[1];
    });
    (trial.reported || []).forEach(function (event, i) {
      var time = event[0],
        paired = partner[i] !== undefined;
      if (event[1] !== null && within(time)) {
        var begin = Math.max(from, x(2 * time - event[1])),
          end = Math.min(width - pad, x(event[1]));
        root.appendChild(svg("line", { x1: begin, x2: end, y1: row.line, y2: row.line, class: "span" }));
      }
      if (!within(time)) return;
      var at = x(time),
        s = 5,
        kind = event[6] || (paired ? "paired" : "invented"),
        shape = paired
          ? svg("path", {
              d:
                "M" +
                at +
                " " +
                (row.line - s - 1) +
                "l" +
                (s + 1) +
                " " +
                (s + 1) +
                "l-" +
                (s + 1) +
                " " +
                (s + 1) +
                "l-" +
                (s + 1) +
                " -" +
                (s + 1) +
                "z",
              class: "said " + kind,
            })
          : svg("path", {
              d:
                "M" +
                (at - s) +
                " " +
                (row.line - s) +
                "l" +
                2 * s +
                " " +
                2 * s +
                "m0 -" +
                2 * s +
                "l-" +
                2 * s +
                " " +
                2 * s,
              class: "said " + kind,
            });
      root.appendChild(
        LFT.mark(
          shape,
          "reported " + LFT.seconds(time) + " s" + (event[3] ? ": " + event[3] : "") + ", " + LFT.fate(kind),
          time,
          options.seek,
          "r" + row.track.place + "-" + i
        )
      );
      if (event[2] > 1)
        root.appendChild(svg("text", { x: at + 8, y: row.line - 6, class: "covers" }, "×" + event[2]));
      if (paired && truth[partner[i]] && within(truth[partner[i]][0])) {
        var up = row.line > happened.line;
        links.appendChild(
          svg("line", {
            x1: x(truth[partner[i]][0]),
            y1: happened.line + (up ? 6 : -6),
            x2: at,
            y2: row.line + (up ? -7 : 7),
            class: "link",
          })
        );
      }
    });
  });
  rows.forEach(function (row) {
    LFT.rowName(root, row, pad, gutter);
  });
  y = LFT.axis(root, range, x, y + 4, inner, width - pad);
  root.setAttribute("height", y);
  root.setAttribute("viewBox", "0 0 " + width + " " + y);
  root.setAttribute("aria-label", LFT.summary(tracks));
  var head = svg("line", { x1: from, x2: from, y1: 4, y2: y - 24, class: "playhead" });
  root.appendChild(head);
  root.addEventListener("click", function (event) {
    if (event.target.closest(".mark")) return;
    var box = root.getBoundingClientRect();
    options.seek(
      Math.min(
        duration,
        Math.max(
          0,
          range[0] +
            ((((event.clientX - box.left) * width) / box.width - from) / inner) * (range[1] - range[0])
        )
      )
    );
  });
  return {
    node: root,
    at: function (time) {
      var on = within(time);
      head.setAttribute("visibility", on ? "visible" : "hidden");
      if (on) {
        head.setAttribute("x1", x(time));
        head.setAttribute("x2", x(time));
      }
    },
  };
};

// Of an event whose exact frame was not supplied: the frames around it that prove it.
LFT.proof = function (trial, index) {
  var proof = (trial.proofs || [])[index];
  return proof
    ? "; exact frame not supplied, proved by the frames at " + proof.map(LFT.seconds).join(" and ") + " s"
    : "";
};

LFT.fate = function (kind) {
  return (
    {
      paired: "paired",
      misidentified: "paired, but said to be another event",
      displaced: "displaced",
      invented: "hallucinated: no such event",
    }[kind] || kind
  );
};

LFT.mark = function (shape, words, time, seek, id) {
  var svg = LFT.svg;
  return svg(
    "g",
    {
      class: "mark",
      "data-mark": id || null,
      onclick: function () {
        seek(time);
      },
    },
    svg("title", {}, words),
    shape
  );
};

LFT.rowName = function (root, row, pad, gutter) {
  var svg = LFT.svg,
    name = row.track ? row.track.name : "happened",
    most = gutter ? 27 : 60,
    frames = row.track && row.track.trial.frames;
  var count = !row.track
    ? ""
    : frames === "all"
      ? "sent as a file"
      : LFT.whole(Array.isArray(frames) ? frames.length : frames.n) + " frames supplied";
  var short = name.length > most ? name.slice(0, most - 1) + "…" : name;
  if (gutter) {
    root.appendChild(
      svg(
        "text",
        { x: pad, y: row.line + (count ? -2 : 4), class: "row-name" },
        svg("title", {}, name),
        short
      )
    );
    if (count) root.appendChild(svg("text", { x: pad, y: row.line + 12, class: "row-note" }, count));
  } else
    root.appendChild(
      svg("text", { x: pad, y: row.line - 18, class: "row-name" }, short + (count ? " · " + count : ""))
    );
};

LFT.frameTicks = function (root, trial, x, within, y, from, to) {
  var svg = LFT.svg,
    frames = trial.frames,
    times = LFT.frameTimes(frames, trial.fps),
    d = "";
  if (frames === "all") {
    root.appendChild(
      svg(
        "rect",
        { x: from, y: y - 4, width: to - from, height: 3, class: "frames-all" },
        svg("title", {}, "the file itself was sent")
      )
    );
    return y + 4;
  }
  times.filter(within).forEach(function (t) {
    d += "M" + x(t).toFixed(1) + " " + (y - 6) + "v6";
  });
  root.appendChild(
    svg("path", { d: d || "M0 0", class: "frames" }, svg("title", {}, times.length + " frames were supplied"))
  );
  return y + 4;
};

LFT.axis = function (root, range, x, y, inner, right) {
  var svg = LFT.svg,
    span = range[1] - range[0],
    steps = [0.1, 0.25, 0.5, 1, 2, 4, 6, 12, 30, 60, 300];
  var step =
    steps.find(function (s) {
      return span / s <= Math.max(3, inner / 58);
    }) || 600;
  for (var i = Math.ceil(range[0] / step - 1e-9); i * step <= range[1] + 1e-9; i += 1) {
    root.appendChild(
      svg(
        "text",
        { x: x(i * step), y: y + 12, class: "tick", "text-anchor": "middle" },
        String(Math.round(i * step * 100) / 100)
      )
    );
  }
  root.appendChild(svg("text", { x: right, y: y + 27, class: "tick", "text-anchor": "end" }, "time (s)"));
  return y + 30;
};

LFT.longest = function (tracks) {
  var most = 1;
  tracks.forEach(function (t) {
    (t.trial.reported || []).forEach(function (e) {
      most = Math.max(most, e[1] || e[0]);
    });
  });
  return Math.ceil(most);
};

LFT.activity = function (tracks, duration) {
  var times = (tracks[0].trial.truth || []).map(function (e) {
    return e[0];
  });
  if (!times.length)
    tracks.forEach(function (t) {
      (t.trial.reported || []).forEach(function (e) {
        times.push(e[0]);
      });
    });
  if (!times.length) return [0, duration];
  var low = Math.min.apply(null, times),
    high = Math.max.apply(null, times),
    room = Math.max(0.75, (high - low) * 0.2);
  return [Math.max(0, low - room), Math.min(duration, high + room)];
};

LFT.summary = function (tracks) {
  var truth = tracks[0].trial.truth || [];
  return (
    "Timeline. Happened: " +
    (truth
      .map(function (e) {
        return LFT.seconds(e[0]);
      })
      .join(", ") || "no event") +
    " seconds. " +
    tracks
      .map(function (t) {
        return (
          t.name +
          " reported: " +
          ((t.trial.reported || [])
            .map(function (e) {
              return LFT.seconds(e[0]);
            })
            .join(", ") || "no event") +
          " seconds."
        );
      })
      .join(" ")
  );
};
