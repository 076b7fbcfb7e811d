export * from './bytes.js';
export * from './csv.js';
export * from './duration.js';
export * from './ini.js';
export * from './table.js';
