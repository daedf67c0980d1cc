/** A source of servers: what it offers for each kind. */
export const SERVER_KINDS = ['redis', 'kafka', 'clickhouse'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

export type SharedServer = {
  /** A URL, or for Kafka one or more `host:port`, separated by commas. */
  readonly address: string;
  stop(): Promise<void>;
};

/** A server that is available. Nothing runs before `start`. */
export type Offer = {
  /** The text for the banner, such as `redis-server 7.0.15 of this machine`. */
  readonly what: string;
  start(): Promise<SharedServer>;
};
