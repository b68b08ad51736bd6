import { examples, livesExample } from "./support/examples";

/** examples.spec.ts has the first of them. */
describe("every other example", () => {
  it("is applied, is then no change, and goes", async () => {
    const others = Object.keys(examples).filter((one) => one !== "weighted-routing");
    // Most of the time of each is one process that waits for another.
    await Promise.all(others.map(livesExample));
  });
});
