export type Env = Readonly<Record<string, string>>;

const isProxy = (name: string): boolean => /_proxy$/i.test(name);

/** Runs `work` with these environment variables, and without any inherited proxy variables. */
export function withEnvironment<T>(env: Env, work: () => T): T {
  const before = { ...process.env };
  for (const name of Object.keys(process.env).filter(isProxy)) {
    delete process.env[name];
  }
  Object.assign(process.env, env);
  try {
    return work();
  } finally {
    for (const name of Object.keys(env)) {
      delete process.env[name];
    }
    Object.assign(process.env, before);
  }
}
