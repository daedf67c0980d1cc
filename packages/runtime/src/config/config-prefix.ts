export const CONFIG_PREFIX = 'MANDATE_';
