import { randomBytes } from "node:crypto";
import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Routing } from "../../core/routing";

/**
 * Provider processes of one run ask each other about numbers: what a resource binds, only the process that declares it knows, and its
 * values may be secret. So they go from process to process on this machine, as the engine's own calls do, and stand in no file.
 */

export interface Question {
  /** The number's key, for an extension is another number in another account. */
  readonly key: string;
  readonly number: string;
  /** What the resource that lets go may have bound to it. */
  readonly held: Routing;
  readonly who: string;
}

/** Undefined: it holds what is declared. */
type Answer = Promise<string | undefined>;
/** Undefined where somebody else has to answer. */
export type Answerer = (question: Question) => Answer | undefined;

/** Where a process listens, and the word that opens it: it stands in the file that only this user can read. */
export interface Door {
  readonly port: number;
  readonly word: string;
}

/** Last comes first: tests have several runs in one process. */
const answerers: Answerer[] = [];
let door: Promise<Door> | undefined;

/** Answers in this process, which listens from the first time on. */
export function answerWith(answerer: Answerer): Promise<Door> {
  answerers.unshift(answerer);
  door ??= listen(randomBytes(18).toString("base64url"));
  return door;
}

async function listen(word: string): Promise<Door> {
  const server: Server = createServer((asked, answered) => {
    void answerTo(asked, word).then(
      (why) => answered.end(JSON.stringify({ why })),
      () => answered.writeHead(400).end(),
    );
  });
  // A process ends when its engine does, whoever may still ask.
  server.on("connection", (socket) => socket.unref()).unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return { port: (server.address() as AddressInfo).port, word };
}

async function answerTo(asked: IncomingMessage, word: string): Answer {
  if (asked.headers.authorization !== word) {
    throw new Error("somebody else");
  }
  const question = (await json(asked)) as Question;
  for (const answerer of answerers) {
    const answer = answerer(question);
    if (answer !== undefined) {
      return answer;
    }
  }
  throw new Error("not ours");
}

/** A connection for each of the numbers under way, and no proxy: this is the same machine. */
const agent = new Agent({ keepAlive: true });

/** Throws where nobody answers in that time. */
export async function ask({ port, word }: Door, question: Question, withinMs: number): Answer {
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    const signal = AbortSignal.timeout(withinMs);
    const headers = { authorization: word };
    request({ agent, host: "127.0.0.1", port, method: "POST", headers, signal }, resolve)
      .on("error", reject)
      .end(JSON.stringify(question));
  });
  if (answered.statusCode !== 200) {
    answered.resume();
    throw new Error("no response");
  }
  return ((await json(answered)) as { why?: string }).why;
}
