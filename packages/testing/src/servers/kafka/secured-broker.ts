/** A broker that accepts only clients with TLS, a certificate and a password. All three password mechanisms work. */
import { type Authority, bundle } from '../certificates.ts';

export type Secured = {
  readonly authority: Authority;
  readonly username: string;
  /** The password may contain only letters, digits and dashes, because a Java setting contains it. */
  readonly password: string;
};

const LOGIN = 'org.apache.kafka.common.security';

export function securedConfig({ authority, username, password }: Secured): Record<string, string> {
  const listener = (setting: string) => `listener.name.plaintext.${setting}`;
  return {
    'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    [listener('plain.sasl.jaas.config')]:
      `${LOGIN}.plain.PlainLoginModule required user_${username}="${password}";`,
    [listener('scram-sha-256.sasl.jaas.config')]: `${LOGIN}.scram.ScramLoginModule required;`,
    [listener('scram-sha-512.sasl.jaas.config')]: `${LOGIN}.scram.ScramLoginModule required;`,
    [listener('ssl.keystore.type')]: 'PEM',
    [listener('ssl.keystore.location')]: bundle(authority.server),
    [listener('ssl.truststore.type')]: 'PEM',
    [listener('ssl.truststore.location')]: authority.caPath,
    [listener('ssl.client.auth')]: 'required',
  };
}

/**
 * Returns arguments for formatting the broker's storage: they create the user for both SCRAM mechanisms. The user for
 * PLAIN is in the settings.
 */
export function scramUsers({ username, password }: Secured): string[] {
  return ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${username},password=${password}]`,
  ]);
}
