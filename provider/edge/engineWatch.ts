import { connect } from "node:http2";

/** Between two tries: a server that closes each connection at once is not asked without end. */
const AGAIN_MS = 100;
/** An engine that was killed while this process started was never met. */
const FIRST_TRIES = 3;
const watched = new Set<string>();

/** Is this the provider process of an engine? Loaded by anything else, a test or a script, what is ours changes nothing of it. */
export const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^[\w.[\]:-]+:\d+$/.test(text);

/**
 * Ends the process with its engine. Nobody would save what a process without an engine still sends, and a PUT that it repeats
 * could reach the platform behind that of the next run. A connection that stays open tells at once when the other end is gone.
 */
export function endWithEngine(address: string | undefined): void {
  if (!isAddress(address) || watched.has(address)) {
    return;
  }
  watched.add(address);
  watch(address, FIRST_TRIES);
}

function watch(address: string, tries: number): void {
  let isThere = false;
  const session = connect(`http://${address}`);
  session.on("connect", () => {
    isThere = true;
    session.unref();
  });
  session.on("error", () => {});
  session.on("close", () => {
    const left = isThere ? 1 : tries - 1;
    if (left === 0) {
      process.exit(1);
    }
    setTimeout(() => watch(address, left), AGAIN_MS).unref();
  });
  session.unref();
}
