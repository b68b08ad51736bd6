import { startEmulator } from "./emulator";
import { startProvider } from "./test/support/providerProcess";
import { peakOf } from "./bench/groups";
async function main() {
  const size = Number(process.argv[2] ?? 50000);
  const emulator = await startEmulator();
  const p = await startProvider({ env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, ...(process.argv[3] ? { NODE_OPTIONS: process.argv[3] } : {}) } });
  await p.configure({ "agent-platform:baseUrl": emulator.url });
  const say = (what: string) => console.log(what.padEnd(12), "peak", peakOf(p.pid!) | 0);
  say("start");
  const text = 'exports.handler = () => require("pulumi-agent-platform/handlers").numberGroup';
  const given = (w: number) => ({ numbers: Array.from({ length: size }, (_, i) => `+1555${1000000 + i}`).join("\n") + "\n", inboundAgents: [{ agentId: "agent_front", agentVersion: 12, weight: w }, { agentId: "agent_front", agentVersion: 13, weight: 100 - w }], __provider: text });
  await p.check(undefined, { ...given(90), numbers: "+15550000001\n" });
  say("small check");
  const c = await p.check(undefined, given(90));
  say("check");
  const t = Date.now();
  const { outs, id } = await p.create(c.inputs);
  say("create"); console.log(Date.now() - t, "ms");
  if (process.argv[4]) { const c2 = await p.check(c.inputs, given(70)); say("check2"); await p.diff(id, outs, c2.inputs); say("diff"); await p.update(id, outs, c2.inputs); say("update"); }
  await p.close(); await emulator.close();
}
void main();
