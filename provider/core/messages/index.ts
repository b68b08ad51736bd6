/** Every sentence that a user can see is made here, from data. */
export * from "./exchange";
export * from "./guards";
export * from "./input";
export { counted, type Message, render, say, subject } from "./message";
export * from "./numbers";
export * from "./posts";
export * from "./reasons";
