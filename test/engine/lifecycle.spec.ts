import { livesEveryResource } from "./everyResource";

describe("all resources through the real engine", () => {
  it("creates, leaves alone, changes, refreshes and takes away, each with the requests it needs and no more", () =>
    livesEveryResource());
});
