"use strict";
// The rest is textual-serve's own script; this only opens a closed window again, and gives the keys to it.
document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("start").addEventListener("click", () => window.location.reload());
});
window.addEventListener("load", () => {
  // Its own script makes the terminal while the page is loaded, after this.
  setTimeout(() => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys) keys.focus();
  });
});
