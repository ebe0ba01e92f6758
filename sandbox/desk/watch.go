package desk

import "context"

// Pending lists the requests that a person can answer now, oldest first. There are
// none unless the policy is Ask.
func (d *Desk) Pending() []Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pending()
}

func (d *Desk) pending() []Request {
	requests := []Request{}
	if d.options.Policy != Ask {
		return requests
	}
	for _, open := range d.open {
		requests = append(requests, open.Request)
	}
	return requests
}

// Watch sends Pending now and after every change. A slow receiver gets only the
// newest state. The channel closes when ctx ends.
func (d *Desk) Watch(ctx context.Context) <-chan []Request {
	watcher := make(chan []Request, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	watcher <- d.pending()
	d.watchers[watcher] = struct{}{}
	context.AfterFunc(ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.watchers, watcher)
		close(watcher)
	})
	return watcher
}

// publish sends the state to the watchers; the caller holds the lock.
func (d *Desk) publish() {
	for watcher := range d.watchers {
		select {
		case <-watcher: // replaced by what is newer
		default:
		}
		watcher <- d.pending()
	}
}
