# TD 3, exercice 1
from torch import softmax
from math import sqrt, inf

def scaled_dot_product_attention(Q, K, V, mask=None):
	# produit scalaire de chaque requête avec chaque clé
	scores = Q.matmul(K.transpose(-2, -1))

	# mise à l'échelle
	scores = scores.div(sqrt(K.shape[-1]))

	if mask is not None:
		scores = scores.masked_fill(~mask, -inf)   # interdit

	poids = softmax(scores, -1)
	return poids.matmul(V), poids
