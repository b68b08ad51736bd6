/** The messages that a user sees, made from data. */
export * from "./exchange";
export * from "./guards";
export * from "./input";
export * from "./message";
export * from "./numbers";
export * from "./posts";
export * from "./reasons";
