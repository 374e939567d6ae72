export type GetToken = (options: {
  /** True where the token that was given last has been refused: get a new one. */
  refresh: boolean;
}) => string | Promise<string>;

/** An API key, or a function that returns what is sent in its place. It is called before each request. */
export type Credentials = { key: string; getToken?: undefined } | { getToken: GetToken; key?: undefined };

export interface Tokens {
  canRefresh: boolean;
  current(): Promise<string>;
  /** A token other than the refused one. Requests that are refused together refresh once. */
  replace(refused: string): Promise<string>;
}

export function tokensOf({ key, getToken }: Credentials): Tokens {
  let refreshing: Promise<string> | undefined;
  const current = async () => (getToken ? (refreshing ?? getToken({ refresh: false })) : key);
  const refresh = async () => getToken!({ refresh: true });
  return {
    canRefresh: getToken !== undefined,
    current,
    async replace(refused) {
      const token = await current();
      if (token !== refused) return token;
      refreshing ??= refresh().finally(() => (refreshing = undefined));
      return refreshing;
    },
  };
}
