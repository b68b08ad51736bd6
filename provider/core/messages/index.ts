/** Every sentence that a user can see is made here, from data. */
export * from "./exchange";
export * from "./input";
export { about, type Message, say, some, subject } from "./message";
export * from "./numbers";
export * from "./posts";
