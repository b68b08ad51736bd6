/** What POSTs have made in an account. */
export interface Posted {
  /** The voices of the libraries. */
  readonly voices: Voice[];
  /** The chats, running and ended. */
  readonly chats: Chat[];
}

/** Each list to be read. */
export type PostedLists = { readonly [Name in keyof Posted]: readonly Posted[Name][number][] };

export const nothingPosted = (): Posted => ({ voices: [], chats: [] });

/** A community voice in the library of a workspace. */
export interface Voice {
  readonly voiceId: string;
  readonly workspaceId: number;
  readonly voiceProvider: string;
  readonly providerVoiceId: string;
  readonly voiceName: string;
  readonly publicUserId: string;
  readonly createdAt: string;
}

/** A chat, running or ended. */
export interface Chat {
  readonly chatId: string;
  readonly workspaceId: number | undefined;
  readonly agentId: string | undefined;
  readonly fromNumber: string | undefined;
  readonly toNumber: string | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  readonly serviceDynamicVariables: Record<string, unknown> | undefined;
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly ended: boolean;
}
