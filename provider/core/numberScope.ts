/** A number in international format exists once in the world, whoever asks for it; an extension exists once in each account. */
export const existsOnce = (number: string): boolean => number.startsWith("+");
