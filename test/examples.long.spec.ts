import { needYaml } from "./support/engine";
import { examples, livesExample } from "./support/examples";

/** examples.spec.ts has the first of them. */
describe("every example", () => {
  before(needYaml);

  for (const name of Object.keys(examples).filter((one) => one !== "weighted-routing")) {
    it(`${name}: is applied, is then no change, and goes`, () => livesExample(name));
  }
});
