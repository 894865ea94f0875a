import js from "@eslint/js";
import globals from "globals";

// Plain scripts that share one global object, LFT, and run from file:// in any browser of the last years.
export default [
  {
    ...js.configs.recommended,
    files: ["lft/counting/reporting/page/assets/*.js"],
    languageOptions: {
      ecmaVersion: 2017,
      sourceType: "script",
      globals: { ...globals.browser, LFT: "writable" },
    },
    rules: {
      ...js.configs.recommended.rules,
      eqeqeq: "error",
      "no-redeclare": ["error", { builtinGlobals: false }],
      "no-unused-vars": ["error", { caughtErrors: "none" }],
    },
  },
];
