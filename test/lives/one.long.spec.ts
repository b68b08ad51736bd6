import { describe, it } from "mocha";
import { liveAll } from "./all";
import { firstChapters } from "./alphabet";

describe("every life of one change with one fault", () => {
  it("leaves no number without its agents, posts once, and comes to rest", () =>
    liveAll("one change", firstChapters(), 900));
});
