// What is looked at, kept in the address after #, so that every view can be linked, and gone back from.
"use strict";

LFT.data = null;
LFT.state = {};
LFT.cells = {}; // key -> trials, once loaded
LFT.waiting = {}; // key -> functions to call when it is

LFT.index = function (document_) {
  LFT.data = document_;
};

LFT.cell = function (key, trials) {
  LFT.cells[key] = trials;
  (LFT.waiting[key] || []).forEach(function (done) {
    done(trials);
  });
  delete LFT.waiting[key];
};

LFT.key = function (series, state) {
  return [series, state.d, state.n, state.f].join("|");
};

// Loads a cell's file by a script element: a page in a folder may not fetch, but may do this.
LFT.load = function (series, state, done) {
  var key = LFT.key(series, state);
  if (LFT.cells[key]) {
    done(LFT.cells[key]);
    return;
  }
  if (LFT.waiting[key]) {
    LFT.waiting[key].push(done);
    return;
  }
  LFT.waiting[key] = [done];
  var name = String(state.d)
    .replace(/[^A-Za-z0-9_]+/g, "-")
    .slice(0, 60);
  var count = String(state.n).padStart(2, "0");
  var script = document.createElement("script");
  script.src =
    "data/" +
    encodeURIComponent(LFT.data.series[series].slug) +
    "/" +
    name +
    "-n" +
    count +
    "-f" +
    state.f +
    ".js";
  script.onerror = function () {
    (LFT.waiting[key] || []).forEach(function (then) {
      then(null);
    });
    delete LFT.waiting[key];
  };
  document.head.appendChild(script);
};

LFT.read = function () {
  var state = Object.create(null);
  location.hash
    .slice(1)
    .split("&")
    .forEach(function (part) {
      var at = part.indexOf("=");
      if (at < 1) return;
      try {
        state[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
      } catch (e) {
        /* not ours: ignored */
      }
    });
  var series = LFT.data.series.findIndex(function (s) {
    return s.slug === state.s;
  });
  var beside = LFT.data.series.findIndex(function (s) {
    return s.slug === state.vs;
  });
  if (series < 0) series = LFT.data.overview.start;
  var surface = LFT.own(LFT.data.series[series].surfaces, state.d);
  var found = { s: series, vs: beside, show: state.show || "accuracy" };
  if (LFT.outcome(state.o)) {
    found.o = state.o;
    found.all = state.all === "1";
  }
  if (surface) {
    if (
      surface.bins &&
      surface.bins.some(function (bin) {
        return bin.bin === state.b;
      })
    ) {
      found.d = state.d;
      found.b = state.b;
    }
    var cell = surface.cells.find(function (c) {
      return String(c.N) === state.n && String(c.F) === state.f;
    });
    if (cell) {
      found.d = state.d;
      found.n = cell.N;
      found.f = cell.F;
      if (/^\d+$/.test(state.k || "")) {
        found.k = Number(state.k);
        found.r = /^\d+$/.test(state.r || "") ? Number(state.r) : 0;
      }
    }
  }
  return found;
};

LFT.outcome = function (key) {
  return LFT.data.causes.find(function (c) {
    return c[1] === key;
  });
};
LFT.outcomeOf = function (code) {
  return (
    LFT.data.causes.find(function (c) {
      return c[0] === code;
    }) || ["?", "unknown", "unknown"]
  );
};

LFT.link = function (changes) {
  var state = Object.assign({}, LFT.state, changes),
    parts = [];
  parts.push("s=" + encodeURIComponent(LFT.data.series[state.s].slug));
  if (state.show && state.show !== "accuracy") parts.push("show=" + encodeURIComponent(state.show));
  if (state.o) parts.push("o=" + encodeURIComponent(state.o));
  if (state.o && state.all && state.d) parts.push("all=1");
  if (state.d !== undefined && state.d !== null) {
    parts.push("d=" + encodeURIComponent(state.d));
    if (state.b) parts.push("b=" + encodeURIComponent(state.b));
    if (state.n !== undefined && state.n !== null) parts.push("n=" + state.n, "f=" + state.f);
    if (state.k !== undefined && state.k !== null) {
      parts.push("k=" + state.k);
      if (state.r) parts.push("r=" + state.r);
    }
  }
  if (state.vs >= 0) parts.push("vs=" + encodeURIComponent(LFT.data.series[state.vs].slug));
  return "#" + parts.join("&");
};

LFT.go = function (changes) {
  location.hash = LFT.link(changes);
};

// [seed, replicate, code] of each trial of a cell.
LFT.trials = function (cell) {
  if (typeof cell.t === "string")
    return cell.t.split("").map(function (code, i) {
      return [i, 0, code];
    });
  return cell.t;
};

// Whether the list is of the open cell or bin, or (with an outcome chosen) of all cells.
LFT.ofCell = function (state) {
  return state.d !== undefined && !(state.o && state.all);
};

// The open bin of counts, of a domain that lies on no grid.
LFT.bin = function (state) {
  var surface = LFT.own(LFT.data.series[state.s].surfaces, state.d);
  return (
    surface &&
    surface.bins &&
    surface.bins.find(function (bin) {
      return bin.bin === state.b;
    })
  );
};

// Every trial that the list shows: of the open cell, or of the whole series, of one outcome or all.
LFT.listed = function (state) {
  var one = LFT.ofCell(state);
  var surfaces = LFT.data.series[state.s].surfaces,
    out = [],
    wanted = state.o && LFT.outcome(state.o)[0],
    bin = one && LFT.bin(state);
  LFT.data.domains.forEach(function (d) {
    if (!surfaces[d] || (one && state.d !== d)) return;
    surfaces[d].cells.forEach(function (cell) {
      if (bin ? !LFT.inBin(bin, cell) : one && (cell.N !== state.n || cell.F !== state.f)) return;
      LFT.trials(cell).forEach(function (t) {
        if (!wanted || t[2] === wanted)
          out.push({ d: d, n: cell.N, f: cell.F, k: t[0], r: t[1], code: t[2] });
      });
    });
  });
  return out;
};
