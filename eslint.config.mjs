import js from "@eslint/js";
import globals from "globals";

const plain = {
  ...js.configs.recommended,
  languageOptions: { ecmaVersion: 2017, sourceType: "script", globals: globals.browser },
  rules: {
    ...js.configs.recommended.rules,
    eqeqeq: "error",
    "no-redeclare": ["error", { builtinGlobals: false }],
    "no-unused-vars": ["error", { caughtErrors: "none" }],
  },
};

// Plain scripts that run from file:// in any browser of the last years: those of the counting page share one global
// object, LFT; that of the agents' page reads DATA.
export default [
  { ...plain, files: ["lft/core/reporting/page/*.js"] },
  {
    ...plain,
    files: ["lft/counting/reporting/page/assets/*.js"],
    languageOptions: { ...plain.languageOptions, globals: { ...globals.browser, LFT: "writable" } },
  },
  {
    ...plain,
    files: ["lft/agents/reporting/page.js"],
    languageOptions: { ...plain.languageOptions, globals: { ...globals.browser, DATA: "readonly" } },
  },
];
