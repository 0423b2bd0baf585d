import { render } from 'preact';
import { App } from './app/app.js';
import { openFirst } from './app/sign-on.js';

const place = document.getElementById('console')!;
void openFirst(place.dataset['signedIn'] === 'maybe');
place.replaceChildren();
render(<App />, place);
