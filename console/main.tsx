import { render } from 'preact';
import { App } from './app/app.js';
import { openSession } from './app/session.js';

const place = document.getElementById('console')!;
void openSession(place.dataset['signedIn'] === 'maybe');
place.replaceChildren();
render(<App />, place);
