/** What a source of servers gives for each kind. */
export const SERVER_KINDS = ['redis', 'kafka', 'clickhouse'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

export type SharedServer = {
  /** A URL; of Kafka `host:port`, several with commas between. */
  readonly address: string;
  stop(): Promise<void>;
};

/** A server that is there for the taking; nothing runs before `start`. */
export type Offer = {
  /** For the banner, such as `redis-server 7.0.15 of this machine`. */
  readonly what: string;
  start(): Promise<SharedServer>;
};
