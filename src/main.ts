// Signals are heard before anything else is loaded.
import './early-stop.js';

await import('./serve.js');
