/** The text as one word of a shell command, in quotes if it needs them. */
export const shellText = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
