import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withPlatformStack } from "../support/platformStack";
import { repository } from "../support/repository";

/** A workspace as pnpm lays it out: a library declares the resources and has this package, and the program has the library. */
describe("a program whose library declares the resources", () => {
  let root: string;
  const link = (target: string, ...path: string[]) => {
    const place = join(root, ...path);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place, "dir");
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const program = 'require("@acme/phones").number("support", "+15551230009");';
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-workspace-")));
    const pulumi = join(repository, "node_modules/@pulumi");
    write(
      "lib/index.js",
      `const { NumberAssignment } = require("pulumi-agent-platform");
      exports.number = (name, number) => new NumberAssignment(name, { number, inboundAgents: { "agent_front@12": 100 } });`,
    );
    link(repository, "lib/node_modules/pulumi-agent-platform");
    link(pulumi, "lib/node_modules/@pulumi");
    for (const folder of ["infra", "app"]) {
      link(pulumi, `${folder}/node_modules/@pulumi`);
      link(join(root, "lib"), `${folder}/node_modules/@acme/phones`);
    }
    write("infra/Pulumi.yaml", "name: infra\nruntime: nodejs\n");
    write("infra/package.json", '{ "main": "index.js" }');
    write("infra/index.js", program);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it("is refused in one sentence if the provider's process would not find this package", () =>
    withPlatformStack({ existing: join(root, "infra") }, async ({ stack, sentNothing }) => {
      const { output } = await stack.preview({ expectFailure: true });
      assert.match(
        output,
        new RegExp(
          `error: AGP-016 pulumi-agent-platform is not in ${join(root, "infra")}\\. Add [^.]+ package\\.json, `,
        ),
      );
      assert.doesNotMatch(output, /^ +at |Cannot find module|Require stack/m);
      sentNothing();
    }));

  for (const [what, prepare, variable = "PULUMI_NODEJS_ROOT_DIRECTORY", folder = "infra"] of [
    [
      "beside a program in a folder below, which goes elsewhere first",
      () => {
        link(repository, "infra/node_modules/pulumi-agent-platform");
        write("infra/Pulumi.yaml", "name: infra\nruntime: nodejs\nmain: src/\n");
        write("infra/src/index.js", `process.chdir("/");${program}`);
      },
    ],
    [
      "beside a program in another folder, which goes elsewhere first",
      () => {
        link(repository, "app/node_modules/pulumi-agent-platform");
        write("infra/Pulumi.yaml", "name: infra\nruntime: nodejs\nmain: ../app/index.js\n");
        write(
          "app/index.js",
          `const { number } = require("@acme/phones"); process.chdir("/"); number("a", "+15551230009");`,
        );
      },
    ],
    ["in a folder of NODE_PATH", () => link(repository, "elsewhere/pulumi-agent-platform"), "NODE_PATH", "elsewhere"],
  ] as const) {
    it(`is applied if this package is ${what}`, async () => {
      prepare();
      // The CLI that Go builds here has an older host, which does not say where the project is.
      const env = { [variable]: join(root, folder) };
      await withPlatformStack({ existing: join(root, "infra"), env }, async ({ stack, sent }) => {
        await stack.up();
        assert.equal(sent().length, 1);
      });
    });
  }
});
