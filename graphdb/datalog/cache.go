package datalog

import (
	linked "container/list"
	"sync"
)

// Cache keeps parsed queries by their text, those used last. Programs send the
// same few texts again and again, and to read one costs more than to look a page
// up. It is safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	size   int
	byText map[string]*linked.Element
	used   *linked.List // of cached, the one used last in front
}

type cached struct {
	text  string
	query *Query
}

// maxCachedText bounds the texts that are kept, in bytes; what is longer is
// rarely sent twice.
const maxCachedText = 16 << 10

// NewCache makes a cache of at most size queries.
func NewCache(size int) *Cache {
	return &Cache{size: size, byText: map[string]*linked.Element{}, used: linked.New()}
}

// Get gives the query that was put under the text.
func (c *Cache) Get(text string) (*Query, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byText[text]
	if !ok {
		return nil, false
	}
	c.used.MoveToFront(element)
	return element.Value.(cached).query, true
}

// Put keeps a query, which must be what Parse makes of the text.
func (c *Cache) Put(text string, query *Query) {
	if len(text) > maxCachedText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.byText[text]; known {
		return
	}
	c.byText[text] = c.used.PushFront(cached{text, query})
	for c.used.Len() > c.size {
		oldest := c.used.Back()
		delete(c.byText, c.used.Remove(oldest).(cached).text)
	}
}

// Parse is the package's Parse, through the cache.
func (c *Cache) Parse(text string) (*Query, error) {
	if query, ok := c.Get(text); ok {
		return query, nil
	}
	query, err := Parse(text)
	if err == nil {
		c.Put(text, query)
	}
	return query, err
}
