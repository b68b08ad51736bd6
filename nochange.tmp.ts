import { startEmulator } from "./emulator";
import { newStack } from "./test/support/engine";
import { many } from "./bench/measure";
import { placeFloor, programOf } from "./bench/programs";
async function main() {
  const size = Number(process.argv[2] ?? 1000);
  const emulator = await startEmulator();
  const stacks: any = {};
  for (const way of ["ours", "floor"] as const) {
    const stack = await newStack({ program: programOf(way, { numbers: many(size), weight: 90 }, emulator.url), config: { "agent-platform:baseUrl": emulator.url }, env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
    if (way === "floor") placeFloor(stack);
    stacks[way] = stack;
    const r = await stack.up({ timeoutMs: 600000 });
    console.log(way, "first", r.durationMs, r.exitCode);
  }
  const rounds: any = { ours: [], floor: [] };
  for (let i = 0; i < Number(process.argv[3] ?? 4); i++) for (const way of i % 2 ? ["ours", "floor"] : ["floor", "ours"]) rounds[way].push(Math.round((await stacks[way].up({ timeoutMs: 600000 })).durationMs));
  console.log(JSON.stringify(rounds));
  if (process.argv[4]) {
    for (const way of ["ours", "floor"]) { stacks[way].project.env; const r = await stacks[way].up({ timeoutMs: 600000, env: { NODE_OPTIONS: "-r /tmp/w/pre.js", PROF_DIR: `/tmp/w/prof-${way}`, PROF_MS: process.argv[4] } }); console.log(way, r.durationMs); }
  }
  for (const way of ["ours", "floor"]) await stacks[way].remove();
  await emulator.close();
}
void main();
