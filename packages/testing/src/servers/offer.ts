/** A source of servers offers a server of each kind, or none. */
export const SERVER_KINDS = ['redis', 'kafka', 'clickhouse'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

export type SharedServer = {
  /** The address of the server: a URL, or for Kafka one or more `host:port`, separated by commas. */
  readonly address: string;
  stop(): Promise<void>;
};

/** A server that is available. `start` starts it. */
export type Offer = {
  /** The text about the server for the banner, such as `redis-server 7.0.15 of this machine`. */
  readonly what: string;
  start(): Promise<SharedServer>;
};
