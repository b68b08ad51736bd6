import { describe } from "mocha";
import { everyLife } from "./all";
import { holderChapters, postChapters } from "./alphabet";

describe("every life of two changes with one fault", () => {
  describe("of one resource and what takes its place", () => everyLife("one holder", () => holderChapters(1), 7000));

  describe("of chats and voices", () => everyLife("chats and voices", postChapters, 4500));
});
