import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    # Mittelwert über die Merkmale eines Tokens
    mittel = x.mean(dim=-1, keepdim=True)
    abweichung = x - mittel
    # Varianz: durch d geteilt, nicht durch d - 1
    varianz = abweichung.pow(2).mean(dim=-1, keepdim=True)
    normiert = abweichung / torch.sqrt(varianz + eps)
    # strecken und verschieben
    return gamma * normiert + beta


if __name__ == "__main__":
    x = torch.randn(2, 3, 4)
    print(layer_norm(x, torch.ones(4), torch.zeros(4)).mean(-1))
