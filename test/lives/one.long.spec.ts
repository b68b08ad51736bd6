import { describe } from "mocha";
import { everyLife } from "./all";
import { firstChapters } from "./alphabet";

describe("every life of one change with one fault", () =>
  everyLife("one change", firstChapters, 900, ["agents", "posts", "silence", "guards", "rest", "words"]));
