// Elements from data. Text always becomes a text node: nothing that a model or a file said is ever read as markup.
"use strict";
var LFT = {};

LFT.h = function (tag, props) {
  return LFT.fill(document.createElement(tag), props, Array.prototype.slice.call(arguments, 2));
};

LFT.svg = function (tag, props) {
  return LFT.fill(
    document.createElementNS("http://www.w3.org/2000/svg", tag),
    props,
    Array.prototype.slice.call(arguments, 2)
  );
};

LFT.fill = function (node, props, children) {
  Object.keys(props || {}).forEach(function (name) {
    var value = props[name];
    if (value === null || value === undefined || value === false) return;
    if (name.slice(0, 2) === "on") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  });
  LFT.add(node, children);
  return node;
};

LFT.add = function (node, children) {
  children.forEach(function (child) {
    if (Array.isArray(child)) LFT.add(node, child);
    else if (child instanceof Node) node.appendChild(child);
    else if (child !== null && child !== undefined && child !== false)
      node.appendChild(document.createTextNode(String(child)));
  });
};

LFT.show = function (node) {
  node.textContent = "";
  LFT.add(node, Array.prototype.slice.call(arguments, 1));
};

// An entry of a map from data or address: never what every object inherits.
LFT.own = function (map, name) {
  return map && Object.prototype.hasOwnProperty.call(map, name) ? map[name] : undefined;
};

LFT.$ = function (id) {
  return document.getElementById(id);
};

// Numbers as people read them; what rounds to nothing has no sign.
LFT.fixed = function (x, digits) {
  var text = Number(x).toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
};
LFT.share = function (x) {
  return x === null || x === undefined ? "–" : LFT.fixed(100 * x, 1);
};
LFT.whole = function (x) {
  return Number(x).toLocaleString("en-US");
};
LFT.seconds = function (x) {
  return x === null || x === undefined ? "–" : LFT.fixed(x, 2);
};
LFT.words = function (name) {
  var text = String(name).replace(/_/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};
LFT.interval = function (ci) {
  return ci ? "[" + LFT.share(ci[0]) + ", " + LFT.share(ci[1]) + "]" : "";
};

// Colours of a share from 0 to 1 on one hue: dark is more on a light page, bright is more on a dark one.
LFT.scales = {
  sure: {
    light: [
      [247, 244, 251],
      [217, 205, 236],
      [179, 154, 214],
      [133, 96, 180],
      [79, 45, 128],
    ],
    dark: [
      [33, 33, 48],
      [58, 45, 92],
      [94, 70, 150],
      [143, 118, 205],
      [204, 190, 245],
    ],
  },
  light: [
    [244, 247, 251],
    [198, 216, 237],
    [134, 174, 219],
    [63, 120, 184],
    [23, 67, 124],
  ],
  dark: [
    [31, 38, 48],
    [33, 62, 99],
    [42, 96, 155],
    [86, 146, 208],
    [170, 208, 247],
  ],
};
LFT.colour = function (x, kind) {
  var stops = LFT.stops(kind);
  var place = Math.min(0.99999, Math.max(0, x)) * (stops.length - 1),
    i = Math.floor(place),
    part = place - i;
  return stops[i].map(function (c, j) {
    return Math.round(c + (stops[i + 1][j] - c) * part);
  });
};
// The scale of a kind of share: `accuracy`, `sure`, or the colour of a cause, from the page's ground to that colour.
LFT.stops = function (kind) {
  var dark = LFT.theme() === "dark",
    scale = (kind === "sure" ? LFT.scales.sure : LFT.scales)[dark ? "dark" : "light"];
  if (!/^#[0-9a-f]{6}$/.test(kind)) return scale;
  var full = [1, 3, 5].map(function (i) {
    return parseInt(kind.slice(i, i + 2), 16);
  });
  if (dark && Math.max.apply(null, full) < 130)
    full = full.map(function (c) {
      return c + 0.45 * (255 - c);
    }); // else lost on the dark ground
  return [scale[0], full];
};
LFT.inkOn = function (rgb) {
  var l = rgb.map(function (c) {
    c /= 255;
    return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
  });
  var luminance = 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? "#000" : "#fff";
};
LFT.theme = function () {
  return document.documentElement.getAttribute("data-theme");
};
