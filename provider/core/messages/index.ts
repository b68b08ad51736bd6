/** The messages that a user sees, made from data. */
export * from "./codes";
export * from "./guards";
export * from "./input";
export * from "./message";
export * from "./posts";
export * from "./program";
export * from "./reasons";
export * from "./requests";
