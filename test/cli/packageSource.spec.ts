import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../cli/errors";
import { packageSource } from "../../cli/start/source";
import { checkRows } from "../support/rows";
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
    name: "finds a package file that npm or pnpm installed",
    says: { work: "file:p.tgz" },
    root: LOCAL,
    source: "file:../p.tgz",
  },
  {
    name: "finds a package file that Yarn or bun installed",
    says: { work: "./p.tgz" },
    root: LOCAL,
    source: "file:../p.tgz",
  },
  {
    name: "finds a package file that package.json lists without a path",
    says: { work: "p.tgz" },
    root: LOCAL,
    source: "file:../p.tgz",
  },
  {
    name: "finds the package file if the command is installed in pnpm's store",
    says: { work: "file:p.tgz" },
    root: STORED,
    source: "file:../p.tgz",
  },
  {
    name: "finds a local clone that package.json links to",
    says: { work: "link:clone" },
    root: LOCAL,
    source: "file:../clone",
  },
  {
    name: "finds a package file installed in a separate tools folder",
    says: { tools: "file:../work/p.tgz" },
    root: "tools/node_modules/pulumi-agent-platform",
    source: "file:../p.tgz",
  },
  {
    name: "finds the package file from a workspace member's folder",
    says: { "work/apps/voice": "file:../../p.tgz" },
    root: LOCAL,
    cwd: "work/apps/voice",
    source: "file:../p.tgz",
  },
  {
    name: "finds the package file if the command is installed in a shared store",
    says: { work: "file:p.tgz" },
    root: "store/node_modules/pulumi-agent-platform",
    source: "file:../p.tgz",
  },
  {
    name: "finds a package installed from a URL",
    says: { work: "https://files.example.com/p.tgz" },
    root: LOCAL,
    source: "https://files.example.com/p.tgz",
  },
  {
    name: "finds a package installed from a Git commit",
    says: { work: "git+https://git.example.com/p.git#1a2b3c" },
    root: LOCAL,
    source: "git+https://git.example.com/p.git#1a2b3c",
  },
  { name: "finds the local clone if the command runs from it", root: "work/clone", source: "file:../clone" },
  {
    name: "requires --package if no package.json names the package",
    root: "lib/node_modules/pulumi-agent-platform",
    source: undefined,
  },
  {
    name: "requires --package if package.json has only a version range",
    says: { work: "^0.1.0" },
    root: LOCAL,
    source: undefined,
  },
  {
    name: "requires --package if package.json uses a `catalog:` version",
    says: { work: "catalog:" },
    root: LOCAL,
    source: undefined,
  },
  {
    name: "requires --package if package.json names a missing file",
    says: { work: "file:gone.tgz" },
    root: LOCAL,
    source: undefined,
  },
];

describe("a new project's package source", () => {
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
    it(name, () => {
      if (source === undefined) {
        assert.throws(() => sourceOf(row), /--package/);
      } else {
        assert.equal(sourceOf(row), source);
      }
    });
  }

  const unknown = { root: "lib/node_modules/pulumi-agent-platform" };
  const accepted = [
    ["p.tgz", "file:../p.tgz"],
    ["file:p.tgz", "file:../p.tgz"],
    ["./clone", "file:../clone"],
    ["https://files.example.com/p.tgz", "https://files.example.com/p.tgz"],
  ] as const;
  it("accepts a file, a folder or a URL in --package", () =>
    checkRows(
      accepted,
      ([given]) => given,
      ([given, source]) => assert.equal(sourceOf(unknown, given), source),
    ));

  it("rejects a package file that doesn't exist", () => {
    assert.throws(() => sourceOf(unknown, "./q.tgz"), UsageError);
  });
});
