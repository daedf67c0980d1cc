import { tlsRemedy } from '@mandate/runtime';

/** Returns a remedy if brokers answer but do not accept this client. Undefined for any other failure. */
export function remedyOf(failure: Error & { type?: string }): string | undefined {
  switch (failure.type ?? failure.name) {
    case 'KafkaJSSASLAuthenticationError':
    case 'SASL_AUTHENTICATION_FAILED':
    case 'UNSUPPORTED_SASL_MECHANISM':
    case 'ILLEGAL_SASL_STATE':
      return 'Check MANDATE_KAFKA_SASL_MECHANISM, MANDATE_KAFKA_SASL_USERNAME and MANDATE_KAFKA_SASL_PASSWORD: the brokers must know this user for this mechanism.';
    case 'KafkaJSConnectionClosedError':
      return 'The brokers end the connection. If their port needs TLS or SASL, set MANDATE_KAFKA_TLS or MANDATE_KAFKA_SASL_MECHANISM. Otherwise wait until the brokers have restarted.';
    default:
      return tlsRemedy('KAFKA', failure) ?? undefined;
  }
}
