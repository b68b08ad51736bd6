import assert from "node:assert/strict";
import { downloadsOf } from "../../provider/pulumi/edgeOfRun";

describe("where the engine downloads the plugin of a Node program", () => {
  const Place = { pluginDownloadURL: "github://api.github.com/acme/phones" };
  for (const [repository, found] of [
    ["git+https://github.com/acme/phones.git", Place],
    ["https://github.com/acme/phones", Place],
    ["git@github.com:acme/phones.git", Place],
    ["https://git.example/acme/phones.git", {}],
  ] as const) {
    it(`follows from the repository of package.json: ${repository}`, () =>
      assert.deepEqual(downloadsOf(repository), found));
  }
});
