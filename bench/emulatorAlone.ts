import { spawn } from "node:child_process";
import { once } from "node:events";
import { startEmulator } from "../emulator";
import { type Reading, shown, sideBySide, type Table } from "./measure";

/** The emulator with a bare client in a process of its own: it has to be faster than what is measured with it. */

const client = `
const { Agent, request } = require("node:http");
const [url, token, count] = process.argv.slice(1);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const body = JSON.stringify({ inboundAgents: [{ agent_id: "agent_front", agent_version: 12, weight: 100 }] });
const headers = { authorization: "Bearer " + token, "content-type": "application/json", "content-length": body.length };
const put = (index) => new Promise((resolve, reject) => {
  const path = "/api/numbers/%2B1555" + (1000000 + index) + "/agent";
  const sent = request(url + path, { method: "PUT", agent, headers }, (answer) => answer.resume().on("end", resolve));
  sent.on("error", reject).end(body);
});
(async () => {
  let next = 0;
  const work = async () => { while (next < Number(count)) await put(next++); };
  const begun = performance.now();
  await Promise.all(Array.from({ length: 16 }, work));
  console.log(performance.now() - begun);
  process.exit(0);
})();`;

export async function benchEmulator(count: number, rounds: number): Promise<Table> {
  return {
    title: `${shown(count)} requests of a bare client, 16 at a time`,
    units: { "requests a second": "" },
    columns: await sideBySide(rounds, [{ name: "the emulator", run: () => rateOf(count) }]),
  };
}

async function rateOf(count: number): Promise<Reading> {
  const emulator = await startEmulator();
  try {
    const child = spawn(process.execPath, ["-e", client, emulator.url, emulator.token, String(count)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = await once(child.stdout, "data");
    return { "requests a second": (count / Number(String(output))) * 1000 };
  } finally {
    await emulator.close();
  }
}
