import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../cli/errors";
import { packageSource } from "../../cli/start/source";
import { projectFolder } from "./projectFolder";

interface Row {
  readonly name: string;
  /** The package.json of folders: what each says of this package. */
  readonly says?: Readonly<Record<string, string>>;
  /** The folder of the package. */
  readonly root: string;
  readonly cwd?: string;
  /** What the package.json of `work/new` gets; undefined: the command refuses. */
  readonly source: string | undefined;
}

const LOCAL = "work/node_modules/pulumi-agent-platform";
const STORED = "work/node_modules/.pnpm/pulumi-agent-platform@file+p.tgz/node_modules/pulumi-agent-platform";

const ROWS: readonly Row[] = [
  {
    name: "if npm or pnpm installed it from a file",
    says: { work: "file:p.tgz" },
    root: LOCAL,
    source: "file:../p.tgz",
  },
  { name: "if yarn or bun installed it from a file", says: { work: "./p.tgz" }, root: LOCAL, source: "file:../p.tgz" },
  {
    name: "if package.json names a file without a prefix",
    says: { work: "p.tgz" },
    root: LOCAL,
    source: "file:../p.tgz",
  },
  {
    name: "if it runs from pnpm's folder of copies",
    says: { work: "file:p.tgz" },
    root: STORED,
    source: "file:../p.tgz",
  },
  {
    name: "if package.json links to a clone but has a copy installed",
    says: { work: "link:clone" },
    root: LOCAL,
    source: "file:../clone",
  },
  {
    name: "if it is installed in a separate folder for tools",
    says: { tools: "file:../work/p.tgz" },
    root: "tools/node_modules/pulumi-agent-platform",
    source: "file:../p.tgz",
  },
  {
    name: "if it is called in a package of the workspace",
    says: { "work/apps/voice": "file:../../p.tgz" },
    root: LOCAL,
    cwd: "work/apps/voice",
    source: "file:../p.tgz",
  },
  {
    name: "if it runs from a store in another folder",
    says: { work: "file:p.tgz" },
    root: "store/node_modules/pulumi-agent-platform",
    source: "file:../p.tgz",
  },
  {
    name: "if it was installed from a URL",
    says: { work: "https://files.example.com/p.tgz" },
    root: LOCAL,
    source: "https://files.example.com/p.tgz",
  },
  {
    name: "if it was installed from a commit",
    says: { work: "git+https://git.example.com/p.git#1a2b3c" },
    root: LOCAL,
    source: "git+https://git.example.com/p.git#1a2b3c",
  },
  { name: "if it runs from a clone", root: "work/clone", source: "file:../clone" },
  {
    name: "if no package.json names it, as with npm --global",
    root: "lib/node_modules/pulumi-agent-platform",
    source: undefined,
  },
  {
    name: "if package.json has a version range, which may mean another package",
    says: { work: "^0.1.0" },
    root: LOCAL,
    source: undefined,
  },
  { name: "if package.json has an entry of a catalog", says: { work: "catalog:" }, root: LOCAL, source: undefined },
  {
    name: "if package.json names a file that is gone",
    says: { work: "file:gone.tgz" },
    root: LOCAL,
    source: undefined,
  },
];

describe("the source of the package in a new project", () => {
  const folder = projectFolder();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  const sourceOf = ({ says = {}, root, cwd = "work" }: Omit<Row, "name" | "source">, given?: string) => {
    put("work/p.tgz", "");
    put("work/clone/package.json", "{}");
    for (const [path, source] of Object.entries(says)) {
      put(`${path}/package.json`, JSON.stringify({ devDependencies: { "pulumi-agent-platform": source } }));
    }
    const at = (path: string) => join(folder.path, path);
    return packageSource(at("work/new"), { given, cwd: at(cwd), root: at(root) });
  };

  for (const { name, source, ...row } of ROWS) {
    it(`${source === undefined ? "asks for --package" : "finds the package's source"} ${name}`, () => {
      if (source === undefined) {
        assert.throws(() => sourceOf(row), /--package/);
      } else {
        assert.equal(sourceOf(row), source);
      }
    });
  }

  const unknown = { root: "lib/node_modules/pulumi-agent-platform" };
  for (const [given, source] of [
    ["p.tgz", "file:../p.tgz"],
    ["file:p.tgz", "file:../p.tgz"],
    ["./clone", "file:../clone"],
    ["https://files.example.com/p.tgz", "https://files.example.com/p.tgz"],
  ] as const) {
    it(`accepts ${given} as the package source`, () => assert.equal(sourceOf(unknown, given), source));
  }

  it("rejects a package file that doesn't exist", () => {
    assert.throws(() => sourceOf(unknown, "./q.tgz"), UsageError);
  });
});
