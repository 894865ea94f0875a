// One clip: the video, the timelines, the events in a table, and the response with its entries marked.
"use strict";

LFT.player = null; // {video, start, step, draw, zoom, strips} of the open clip

LFT.close = function () {
  if (LFT.player) LFT.player.strips.close();
  LFT.player = null;
};

// Shows a clip; `shown` is called once it is there.
LFT.clip = function (box, state, shown) {
  var h = LFT.h,
    places = [state.s].concat(state.vs >= 0 && state.vs !== state.s ? [state.vs] : []),
    found = [],
    left = places.length;
  box.setAttribute("aria-busy", "true");
  places.forEach(function (series, i) {
    LFT.load(series, state, function (trials) {
      found[i] =
        trials &&
        trials.find(function (t) {
          return t.seed === state.k && t.replicate === state.r;
        });
      left -= 1;
      if (left) return;
      box.removeAttribute("aria-busy");
      var now = LFT.state; // it may have moved on while the file was loading
      if (
        now.k !== state.k ||
        now.d !== state.d ||
        now.n !== state.n ||
        now.f !== state.f ||
        now.s !== state.s ||
        now.vs !== state.vs
      )
        return;
      if (!found[0])
        LFT.show(
          box,
          h(
            "p",
            { class: "note" },
            trials === null
              ? "The data of this cell could not be loaded: data/ is not beside index.html, or the report is not whole."
              : "There is no such trial."
          )
        );
      else LFT.clipView(box, state, places, found);
      if (shown) shown();
    });
  });
};

LFT.clipView = function (box, state, places, trials) {
  var h = LFT.h,
    first = trials[0];
  var tracks = places
    .map(function (series, i) {
      return trials[i] && { trial: trials[i], place: i, series: series, name: LFT.data.series[series].name };
    })
    .filter(Boolean);
  var notice = h("p", { class: "note", hidden: true }),
    stage = h("div", { class: "timeline-box" }),
    video = null;
  if (first.video) {
    video = h("video", {
      src: first.video,
      controls: true,
      muted: true,
      playsinline: true,
      preload: "metadata",
      "aria-label": "Clip " + first.clip,
    });
    video.muted = true;
    LFT.shape(video, first.size || [16, 9]);
    video.addEventListener("error", function () {
      video.hidden = true;
      notice.hidden = false;
      LFT.show(notice, LFT.unplayable(video, first));
    });
    video.addEventListener("loadedmetadata", function () {
      if (video.videoWidth) return;
      notice.hidden = false;
      LFT.show(
        notice,
        "This browser plays the sound of the file, but not its pictures: ",
        h("code", {}, first.video)
      );
    });
  } else {
    notice.hidden = false;
    LFT.show(
      notice,
      first.truth
        ? "This report was written without videos."
        : "The clips of this run were not at hand when this report was written: no video, " +
            "and the true events are not shown."
    );
  }
  if (first.timed === false) {
    notice.hidden = false;
    LFT.add(notice, [
      " Of this video only the number of events is known, not when they happen: nothing is paired.",
    ]);
  }
  var start = first.start || 0; // the video's own clock at the first picture; all times here count from that
  if (start > 0.05 && video) {
    notice.hidden = false;
    LFT.add(notice, [
      " The first picture comes at " +
        LFT.seconds(start) +
        " s of the file, as the player's clock shows; the times below count from it.",
    ]);
  }
  var zoomed = LFT.crowded(first),
    line = null;
  function seek(time) {
    if (!video || video.hidden) {
      at(time);
      return;
    }
    video.currentTime = Math.max(0, start + time + 0.001); // just inside the frame
    at(time);
  }
  function at(time) {
    if (line) line.at(time);
    strips.at(time);
  }
  var strips = LFT.strips(tracks, {
    src: first.video && !first.absent ? first.video : null,
    start: start,
    seek: seek,
  });
  function draw() {
    line = LFT.timeline(tracks, { width: Math.floor(stage.clientWidth) || 600, zoom: zoomed, seek: seek });
    LFT.show(stage, line.node);
    at(video ? Math.max(0, video.currentTime - start) : 0);
  }
  var zoom = h(
    "button",
    {
      type: "button",
      class: "plain",
      onclick: function () {
        zoomed = !zoomed;
        zoom.textContent = zoomed ? "Whole clip" : "Zoom to the events";
        draw();
      },
    },
    zoomed ? "Whole clip" : "Zoom to the events"
  );
  var chosen = document.activeElement && document.activeElement.id === "beside";
  LFT.show(
    box,
    h(
      "header",
      { class: "clip-title" },
      h("h2", {}, first.source || first.clip),
      LFT.beside(state),
      h(
        "span",
        { class: "steps" },
        h(
          "button",
          {
            type: "button",
            class: "plain",
            onclick: function () {
              LFT.step(-1);
            },
          },
          "Previous"
        ),
        " ",
        h(
          "button",
          {
            type: "button",
            class: "plain",
            onclick: function () {
              LFT.step(1);
            },
          },
          "Next"
        )
      )
    ),
    h(
      "div",
      { class: "screen" },
      h("div", { class: "picture" }, video, notice),
      h("div", { class: "facts" }, LFT.verdicts(tracks))
    ),
    h("div", { class: "timeline-head" }, LFT.marks(tracks), zoom),
    stage,
    strips.nodes,
    h(
      "div",
      { class: "sides sides-" + tracks.length },
      tracks.map(function (track) {
        return LFT.side(track, seek, tracks.length > 1);
      })
    )
  );
  if (chosen && LFT.$("beside")) LFT.$("beside").focus({ preventScroll: true });
  draw();
  LFT.player = {
    video: video,
    start: start,
    step: first.step || first.fps || 30,
    strips: strips,
    draw: draw,
    zoom: function () {
      zoom.click();
    },
  };
  if (video) {
    var follow = function () {
      if (LFT.player && LFT.player.video === video) {
        at(Math.max(0, video.currentTime - start));
        if (!video.paused) requestAnimationFrame(follow);
      }
    };
    ["play", "seeked", "timeupdate"].forEach(function (name) {
      video.addEventListener(name, follow);
    });
  }
};

// Why the browser shows no video: files that are gone and kinds that it does not know give the same error, so
// its kind is asked for.
LFT.unplayable = function (video, trial) {
  var h = LFT.h,
    name = h("code", {}, trial.video),
    kind = (/\.([a-z0-9]+)$/i.exec(trial.video) || ["", ""])[1].toLowerCase(),
    error = video.error || {};
  var moved =
    ". It is read from beside this folder; move both together, or write the report with --videos copy.";
  if (trial.absent) return ["The video is not there: ", name, moved];
  var types = {
    mp4: "video/mp4",
    m4v: "video/mp4",
    mov: "video/quicktime",
    webm: "video/webm",
    mkv: "video/x-matroska",
    ogv: "video/ogg",
    avi: "video/x-msvideo",
    ts: "video/mp2t",
    mts: "video/mp2t",
    m2ts: "video/mp2t",
    mpg: "video/mpeg",
    mpeg: "video/mpeg",
    wmv: "video/x-ms-wmv",
    flv: "video/x-flv",
    "3gp": "video/3gpp",
    gif: "image/gif",
  };
  var known = !types[kind] || video.canPlayType(types[kind]);
  var inside = error.code === 3 || /DEMUXER|DECODE|PIPELINE/.test(error.message || "");
  if (!known || inside)
    return [
      "This browser does not play this " + (kind ? "." + kind + " file" : "file") + ": ",
      name,
      ". The file was read when it was imported; another player may show it, and a " +
        "copy as H.264 in mp4 plays in every browser.",
    ];
  return [
    "The video cannot be played. It was there when this report was written; it has " +
      "moved, or this browser does not play what is in it: ",
    name,
    moved,
  ];
};

// Where to seek to show the next (sign 1) or the last (-1) frame. `step` is the rate of the frames, or the
// time of each.
LFT.nextFrame = function (time, sign, step) {
  if (!Array.isArray(step)) return Math.max(0.5, Math.floor(time * step + 0.02) + sign + 0.5) / step;
  var low = 0,
    high = step.length - 1; // the frame on screen is the last that came by now
  while (low < high) {
    var middle = (low + high + 1) >> 1;
    if (step[middle] <= time + 0.0005) low = middle;
    else high = middle - 1;
  }
  var next = Math.min(step.length - 1, Math.max(0, low + sign));
  return next + 1 < step.length ? (step[next] + step[next + 1]) / 2 : step[next] + 0.001;
};

// A video as high as leaves room for its timelines, in its own proportions from the start: nothing jumps when it loads.
LFT.shape = function (video, size) {
  video.style.aspectRatio = size[0] + " / " + size[1];
  video.style.width = "min(100%, calc(var(--screen) * " + (size[0] / size[1]).toFixed(4) + "))";
};

// Whether events would lie on each other if the whole clip were drawn.
LFT.crowded = function (trial) {
  var times = (trial.truth || []).map(function (e) {
    return e[0];
  });
  var room = (Math.min(1000, document.documentElement.clientWidth - 40) * 0.65) / (trial.duration || 24);
  return times.some(function (t, i) {
    return i > 0 && (t - times[i - 1]) * room < 9;
  });
};

// The signs of the timeline, as far as they occur in it.
LFT.marks = function (tracks) {
  var h = LFT.h,
    seen = {};
  tracks.forEach(function (track) {
    (track.trial.truth || []).forEach(function (e) {
      seen[e[3]] = true;
    });
    (track.trial.reported || []).forEach(function (e) {
      seen[e[6] === "displaced" ? "invented" : e[6]] = true;
    });
  });
  function item(kind, words) {
    var shape =
      kind === "invented"
        ? LFT.svg("path", { d: "M2 2l8 8m0-8l-8 8", class: "said invented" })
        : kind === "paired" || kind === "misidentified"
          ? LFT.svg("path", { d: "M6 0l6 6l-6 6l-6-6z", class: "said " + kind })
          : LFT.svg("circle", { cx: 6, cy: 6, r: 4.5, class: "true " + kind });
    return h("li", {}, LFT.svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, shape), words);
  }
  var items = [
    ["matched", "happened"],
    ["missed", "missed"],
    ["not supplied", "not supplied"],
    ["unreported", "not reported; not known whether shown"],
    ["merged", "merged"],
    ["displaced", "displaced"],
    ["paired", "reported, paired"],
    ["misidentified", "misidentified"],
    ["invented", "reported, not paired"],
  ];
  return h(
    "ul",
    { class: "legend" },
    h("li", {}, h("span", { class: "swatch window-swatch" }), "window that counts"),
    items
      .filter(function (i) {
        return seen[i[0]];
      })
      .map(function (i) {
        return item(i[0], i[1]);
      })
  );
};

LFT.verdicts = function (tracks) {
  var h = LFT.h,
    n = LFT.state.n;
  return h(
    "dl",
    { class: "verdicts" },
    tracks.map(function (track) {
      var t = track.trial,
        outcome = LFT.outcomeOf(t.code),
        missing = "-xo".indexOf(t.code) >= 0;
      return [
        h("dt", {}, track.name),
        h(
          "dd",
          {},
          h("span", { class: "badge cause-" + outcome[1] }),
          h("b", {}, t.code === "c" ? "Correct" : missing ? LFT.words(outcome[2]) : "Wrong: " + outcome[2]),
          !missing && outcome[3] ? " (" + outcome[3].split(";")[0] + ")" : "",
          ". ",
          missing
            ? t.error || t.reason || (t.code === "o" ? "No frontier depends on it." : "No answer came.")
            : "Answered " +
                (t.answer === null ? "nothing usable" + (t.reason ? " (" + t.reason + ")" : "") : t.answer) +
                ", true count " +
                n +
                ". ",
          h("span", { class: "quiet scores" }, LFT.scores(t))
        ),
      ];
    })
  );
};

LFT.scores = function (t) {
  var scores = t.scores,
    words = [];
  if (scores.precision !== undefined)
    words.push(
      "P " + LFT.share(scores.precision),
      "R " + LFT.share(scores.recall),
      "F1 " + LFT.share(scores.f1) + " %"
    );
  if (scores.literal_recall !== undefined)
    words.push("evidence supplied for " + LFT.share(scores.literal_recall) + " % of events");
  if (scores.chance_f1 !== undefined) words.push("chance F1 " + LFT.share(scores.chance_f1) + " %");
  if (t.tolerance === null && scores.f1 !== undefined)
    words.push("windows of half the event's length, or half the gap");
  if (t.tolerance !== null) words.push("windows ±" + Number(t.tolerance.toFixed(3)) + " s");
  return words.join(" · ");
};

LFT.beside = function (state) {
  var h = LFT.h;
  if (LFT.data.series.length < 2) return null;
  var select = h(
    "select",
    {
      id: "beside",
      onchange: function () {
        LFT.go({ vs: Number(select.value) });
      },
    },
    h("option", { value: -1 }, "nothing"),
    LFT.data.series.map(function (s, i) {
      return i === state.s ? null : h("option", { value: i, selected: i === state.vs }, s.name);
    })
  );
  return h("p", { class: "beside" }, h("label", { for: "beside" }, "beside it"), " ", select);
};

LFT.side = function (track, seek, named) {
  var h = LFT.h,
    t = track.trial,
    series = LFT.data.series[track.series],
    run = LFT.own(LFT.data.runs, series.run) || {};
  var call = Object.keys(t.call || {}).map(function (name) {
    var unit = { latency_s: "s", cost_usd: "USD" }[name],
      value = t.call[name];
    return (
      name.replace(/_(s|usd)$/, "").replace(/_/g, " ") +
      " " +
      (typeof value === "number" ? value.toLocaleString("en-US", { maximumSignificantDigits: 6 }) : value) +
      (unit ? " " + unit : "")
    );
  });
  var prompt = LFT.own(run.prompts, series.prompt),
    question = LFT.own(run.questions, LFT.state.d);
  var wide = window.matchMedia("(min-width: 821px)").matches; // on a phone the tables are folded
  return h(
    "section",
    { class: "side" },
    named ? h("h3", {}, track.name) : null,
    h(
      "details",
      { open: wide },
      h("summary", {}, "Events, one by one"),
      h("p", { class: "quiet small scores-below" }, LFT.scores(t)),
      LFT.eventTable(track, seek)
    ),
    h(
      "details",
      { open: wide },
      h("summary", {}, "Response"),
      t.text
        ? LFT.response(track, seek)
        : h("p", { class: "note" }, t.error ? "No answer came: " + t.error : "There is no response."),
      t.cut
        ? h(
            "p",
            { class: "quiet small" },
            LFT.whole(t.cut) + " more characters are in the run's responses.jsonl."
          )
        : null,
      h("p", { class: "quiet small" }, call.join(" · "))
    ),
    prompt || question
      ? h(
          "details",
          {},
          h("summary", {}, "What was asked"),
          h("pre", { class: "response", tabindex: 0 }, [question, prompt].filter(Boolean).join("\n\n"))
        )
      : null
  );
};

// The timelines in words, for reading and for those who do not see them; each time seeks the video.
LFT.eventTable = function (track, seek) {
  var h = LFT.h,
    t = track.trial,
    partner = {},
    used = {},
    rows = [];
  function time(value) {
    return h(
      "button",
      {
        type: "button",
        class: "plain num",
        onclick: function () {
          seek(value);
        },
      },
      LFT.seconds(value)
    );
  }
  (t.pairs || []).forEach(function (p) {
    partner[p[1]] = p;
    used[p[0]] = true;
  });
  (t.truth || []).forEach(function (event, i) {
    var pair = partner[i],
      said = pair && t.reported[pair[0]];
    rows.push([
      event[0],
      h(
        "tr",
        {},
        h("td", {}, i + 1),
        h("td", { class: "num" }, time(event[0])),
        h("td", { class: "num" }, said ? time(said[0]) : ""),
        h("td", { class: "num" }, pair ? LFT.seconds(said[0] - event[0]).replace("-", "−") : ""),
        h(
          "td",
          {},
          h(
            "span",
            { class: "fate " + event[3] },
            event[3] === "matched" && said[6] === "misidentified" ? "misidentified" : event[3]
          ),
          LFT.proof(t, i)
        ),
        h("td", { class: "quiet" }, event[1] === event[2] ? t.type : event[1] + " → " + event[2])
      ),
    ]);
  });
  (t.reported || []).forEach(function (event, i) {
    if (used[i]) return;
    rows.push([
      event[0],
      h(
        "tr",
        {},
        h("td"),
        h("td"),
        h("td", { class: "num" }, time(event[0])),
        h("td"),
        h(
          "td",
          {},
          h("span", { class: "fate " + (event[6] || "") }, t.truth ? LFT.fate(event[6]) : "reported")
        ),
        h("td", { class: "quiet" }, (event[3] || "") + (event[2] > 1 ? " ×" + event[2] : ""))
      ),
    ]);
  });
  rows.sort(function (a, b) {
    return a[0] - b[0];
  });
  if (!rows.length) return h("p", { class: "note" }, "No event happened and none was reported.");
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Events, " + track.name },
    h(
      "table",
      { class: "events" },
      h("caption", { class: "hidden" }, "Events that happened and were reported"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["#", "happened (s)", "reported (s)", "off by (s)", "outcome", "what"].map(function (name, i) {
            return h("th", { scope: "col", class: i > 0 && i < 4 ? "num" : null }, name);
          })
        )
      ),
      h(
        "tbody",
        {},
        rows.map(function (r) {
          return r[1];
        })
      )
    ),
    t.more
      ? h("p", { class: "quiet small" }, LFT.whole(t.more) + " more reported events are not drawn.")
      : null
  );
};

LFT.response = function (track, seek) {
  var h = LFT.h,
    t = track.trial,
    used = {},
    letters = Array.from(t.text).map(LFT.visible),
    parts = [],
    at = 0;
  (t.pairs || []).forEach(function (p) {
    used[p[0]] = true;
  });
  // Part of the text, with what the reading is unsure of underlined.
  function piece(from, to) {
    var found = [],
      start = from;
    function why(i) {
      return (t.doubts || [])
        .filter(function (d) {
          return d[1] <= i && i < d[2];
        })
        .map(function (d) {
          return d[0] + (d[3] ? ": " + d[3] : "");
        })
        .join("; ");
    }
    if (!(t.doubts || []).length) return [letters.slice(from, to).join("")];
    for (var i = from + 1; i <= to; i += 1) {
      if (i < to && why(i) === why(start)) continue;
      var words = letters.slice(start, i).join("");
      found.push(why(start) ? h("span", { class: "doubt", title: why(start) }, words) : words);
      start = i;
    }
    return found;
  }
  (t.reported || [])
    .map(function (e, i) {
      return [e[4], e[5], i, e[0]];
    })
    .sort(function (a, b) {
      return a[0] - b[0] || a[1] - b[1];
    })
    .forEach(function (span) {
      if (span[0] < at || span[1] <= span[0] || span[0] >= letters.length) return;
      var kind = !t.truth ? "" : " " + (t.reported[span[2]][6] || ""),
        mark = "r" + track.place + "-" + span[2];
      parts.push(piece(at, span[0]));
      parts.push(
        h(
          "mark",
          {
            class: "entry" + kind,
            title: LFT.seconds(span[3]) + " s",
            "data-mark": mark,
            onclick: function () {
              seek(span[3]);
            },
            onmouseenter: function () {
              LFT.point(mark, true);
            },
            onmouseleave: function () {
              LFT.point(mark, false);
            },
          },
          piece(span[0], Math.min(span[1], letters.length))
        )
      );
      at = span[1];
    });
  parts.push(piece(at, letters.length));
  return [
    h("pre", { class: "response", tabindex: 0, "aria-label": "Response of " + track.name }, parts),
    t.reading && t.reading !== "program"
      ? h("p", { class: "quiet small" }, "The reading was settled: " + t.reading + ".")
      : null,
    (t.doubts || []).length
      ? h(
          "ul",
          { class: "doubts small" },
          t.doubts.map(function (d) {
            return h("li", {}, h("b", {}, d[0]), d[3] ? ": " + d[3] : "");
          })
        )
      : null,
  ];
};

// Characters that would steer the display are shown as signs, one for one, so that positions in the text still hold.
LFT.visible = function (letter) {
  var code = letter.codePointAt(0);
  if (code < 32 && code !== 10 && code !== 9) return code === 13 ? "" : String.fromCodePoint(0x2400 + code);
  return (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    code === 0x200e ||
    code === 0x200f
    ? "⇄"
    : letter;
};

LFT.point = function (mark, on) {
  document.querySelectorAll('.timeline [data-mark="' + mark + '"]').forEach(function (node) {
    node.classList.toggle("pointed", on);
  });
};
