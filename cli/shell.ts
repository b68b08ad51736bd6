/** Quotes a string for the shell if it needs quotes. */
export const shellText = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
