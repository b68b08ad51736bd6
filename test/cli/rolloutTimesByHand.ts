import { pipeline } from "./pipelineJobs";
import { threeStacks } from "./threeStacks";

/** How long a promotion takes from `promote` to calls, by the pipelines' scripts: `node -r tsx/cjs test/cli/rolloutTimesByHand.ts 1000`. */

const size = Number(process.argv[2] ?? 1000);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

void pipeline({}, async (project, host) => {
  const walk = await threeStacks(project, host, { dev: 2, canary: 2, prod: size });
  await walk.promote("dev");
  await walk.promote("canary", { AFTER: "dev" });
  project.emulator.clearRequests();
  const { promote, preview, apply } = await walk.promote("prod", { AFTER: "canary" });
  const begun = performance.now();
  await walk.script("prod", "abort.sh");
  const abort = performance.now() - begun;
  const all = [promote, preview, apply, promote + preview + apply, abort].map(seconds);
  console.log(
    `| ${[size.toLocaleString("en"), ...all, project.emulator.requests.length.toLocaleString("en")].join(" | ")} |`,
  );
  console.log(walk.calls("prod"));
});
