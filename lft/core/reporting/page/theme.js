// The button for the dark or light theme, on every page; the choice is kept for the next.
"use strict";

(function () {
  var button = document.getElementById("theme"),
    root = document.documentElement;
  function stored(value) {
    try {
      if (value !== undefined) localStorage.setItem("lft-theme", value);
      return localStorage.getItem("lft-theme");
    } catch (e) {
      return null;
    }
  }
  function use(choice) {
    var dark =
      choice === "dark" || (choice !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
    root.setAttribute("data-theme", dark ? "dark" : "light");
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Use the light theme" : "Use the dark theme");
  }
  use(stored());
  button.addEventListener("click", function () {
    var other = root.getAttribute("data-theme") === "dark" ? "light" : "dark";
    stored(other);
    use(other);
  });
})();
