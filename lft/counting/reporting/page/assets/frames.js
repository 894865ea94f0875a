// The frames that were supplied, drawn from the video at their times: what the model was given, not only when.
"use strict";

// options: {src, start, seek(time_s)}; `start` is the video's clock at the first frame. Frames are drawn as
// they come into sight, one after another, from a video of their own.
LFT.strips = function (tracks, options) {
  var h = LFT.h,
    made = [],
    video = null,
    queue = [],
    busy = false,
    shut = false;
  var told = tracks.map(function (track) {
    return JSON.stringify(track.trial.frames);
  });

  function next() {
    if (busy || shut || !queue.length) return;
    if (!video) {
      video = document.createElement("video");
      video.muted = true;
      video.preload = "auto";
      video.playsInline = true;
      video.addEventListener("error", function () {
        shut = true;
      });
      video.src = options.src;
    }
    if (video.readyState < 1) {
      busy = true;
      video.addEventListener(
        "loadedmetadata",
        function () {
          busy = false;
          next();
        },
        { once: true }
      );
      return;
    }
    var job = queue.shift();
    busy = true;
    video.addEventListener(
      "seeked",
      function () {
        if (shut) return;
        job.canvas.width = 2 * 104;
        job.canvas.height = Math.max(1, Math.round((2 * 104 * video.videoHeight) / video.videoWidth)) || 117;
        job.canvas.getContext("2d").drawImage(video, 0, 0, job.canvas.width, job.canvas.height);
        job.canvas.setAttribute("data-drawn", String(job.time));
        busy = false;
        next();
      },
      { once: true }
    );
    video.currentTime = (options.start || 0) + LFT.inFrame(job.time, job.fps);
  }

  var watch = new IntersectionObserver(
    function (seen) {
      seen.forEach(function (entry) {
        if (!entry.isIntersecting) return;
        watch.unobserve(entry.target);
        queue.push({
          canvas: entry.target.querySelector("canvas"),
          time: Number(entry.target.getAttribute("data-time")),
          fps: entry.target.lftFps,
        });
      });
      next();
    },
    { rootMargin: "0px 240px" }
  );

  function frame(trial, time, size) {
    var shows = (trial.evidence || [])
      .map(function (e, i) {
        return time > e[0] - 0.0011 && time < e[1] - 0.0011 ? i : -1;
      })
      .filter(function (i) {
        return i >= 0;
      });
    var fates = shows.map(function (i) {
        return trial.truth[i][3];
      }),
      missed = fates.some(function (f) {
        return f === "missed";
      });
    var words =
      LFT.seconds(time) +
      " s" +
      (shows.length
        ? ": shows event " +
          shows
            .map(function (i) {
              return i + 1;
            })
            .join(", ") +
          (missed ? ", which was missed" : "")
        : "");
    var canvas = h("canvas", { "aria-hidden": "true" });
    canvas.style.aspectRatio = size[0] + " / " + size[1];
    var button = h(
      "button",
      {
        type: "button",
        class: "frame" + (shows.length ? " shows" : "") + (missed ? " missed" : ""),
        "data-time": time,
        title: words,
        "aria-label": "Frame at " + words,
        onclick: function () {
          options.seek(time);
        },
      },
      canvas,
      h(
        "span",
        { class: "num" },
        LFT.seconds(time),
        shows.length
          ? h(
              "b",
              {},
              " #" +
                shows
                  .map(function (i) {
                    return i + 1;
                  })
                  .join(", #")
            )
          : null
      )
    );
    button.lftFps = trial.fps;
    if (options.src) watch.observe(button);
    return button;
  }

  tracks.forEach(function (track, i) {
    var t = track.trial,
      same = told.indexOf(told[i]),
      names = tracks
        .filter(function (other, j) {
          return told[j] === told[i];
        })
        .map(function (other) {
          return other.name;
        });
    if (same < i) return;
    var times = LFT.frameTimes(t.frames, t.fps),
      size = t.size || [16, 9],
      head = tracks.length > 1 ? names.join(" and ") + ": " : "";
    if (times === null) {
      made.push(
        h(
          "p",
          { class: "quiet small" },
          head + "the file itself was sent; which frames of it were looked at is the provider's."
        )
      );
      return;
    }
    if (!times.length) return;
    var strip = h(
      "div",
      { class: "strip", tabindex: 0, role: "group", "aria-label": "Supplied frames, " + names.join(" and ") },
      times.map(function (time) {
        return frame(t, time, size);
      })
    );
    made.push(
      h(
        "section",
        { class: "supplied" },
        h(
          "h3",
          {},
          "Supplied frames ",
          h(
            "span",
            { class: "quiet small" },
            head +
              LFT.whole(times.length) +
              (strip.querySelector(".shows")
                ? ". Framed: an event is to be seen, its number beside the time."
                : ".")
          )
        ),
        options.src ? null : h("p", { class: "quiet small" }, "Their times; the pictures need the video."),
        strip
      )
    );
    // Opened where the first event is.
    var from =
      t.truth && t.truth.length
        ? times.findIndex(function (time) {
            return time >= t.truth[0][0] - 1e-6;
          })
        : -1;
    if (from > 0)
      requestAnimationFrame(function () {
        strip.scrollLeft = Math.max(0, strip.children[from].offsetLeft - strip.offsetLeft - 230);
      });
  });

  return {
    nodes: made,
    close: function () {
      shut = true;
      watch.disconnect();
      if (video) {
        video.removeAttribute("src");
        video.load();
      }
    },
    at: function (time) {
      made.forEach(function (part) {
        var last = null;
        part.querySelectorAll(".frame").forEach(function (b) {
          b.classList.remove("now");
          if (Number(b.getAttribute("data-time")) <= time + 0.002) last = b;
        });
        if (last) last.classList.add("now");
      });
    },
  };
};

// The times of supplied frames, seconds; null for the file itself.
LFT.frameTimes = function (frames, fps) {
  if (frames === "all") return null;
  if (Array.isArray(frames)) return frames;
  var times = [];
  for (var i = 0; i < frames.n; i += 1)
    times.push(
      frames.rate ? Math.floor((i / frames.rate) * fps + 0.001) / fps : frames.first + i * frames.step
    );
  return times;
};

// A time inside the frame that is on screen at `time`: its middle, or where frames come at no rate, just after.
LFT.inFrame = function (time, fps) {
  return fps ? (Math.floor(time * fps + 0.001) + 0.5) / fps : time + 0.001;
};
