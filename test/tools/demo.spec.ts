import assert from "node:assert/strict";
import { once } from "node:events";
import { delimiter } from "node:path";
import { engineVersion } from "../../tools/engine/executables";
import { fakeCli, temporaryFolder } from "../support/engineFakes";
import { startDemo } from "./demoProcess";

describe("npm run demo", () => {
  const path = temporaryFolder();

  it("is agent-platform try, with the CLI that is found or installed", async () => {
    fakeCli(path.path, `[ "$1" = version ] && { echo v${engineVersion}; exit; }\necho "this CLI: $*"; exit 3`);
    const child = startDemo(path.path, { env: { PATH: [path.path, process.env.PATH].join(delimiter) } });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    assert.deepEqual(await once(child, "close"), [1, null]);
    assert.match(said, /`pulumi stack init try` ended with exit code 3\.\nthis CLI: stack init try /);
  });
});
