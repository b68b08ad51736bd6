import { describe } from "mocha";
import { everyLife } from "./all";
import { holderChapters } from "./alphabet";

describe("every life of two changes with one fault, of two resources that hold two numbers", () =>
  everyLife("two holders", () => holderChapters(2), 10_000));
